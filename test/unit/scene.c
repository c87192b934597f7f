/*
 * Scenes.  See scene.h.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "scene.h"

void
scene_refused(int client, int status, const char *key)
{
	const char *body = rig_answer(client, status);

	if (strstr(body, key) == NULL)
		ck_abort_msg("wanted %s, got %s", key, body);
}

/* The connection is as good as new. */
void
scene_alive(int client)
{
	rig_put(client, SCENE_GET);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
}

void
scene_need_facts(uint64_t id, int kind, const char *one, const char *two)
{
	struct buf b = BUF_INIT(1024 * 1024);
	static struct msg_need_facts m;

	m.count = two != NULL ? 2 : 1;
	m.ask[0] = (struct fact_ask){ (uint8_t)kind, str_from(one) };
	m.ask[1] = (struct fact_ask){ (uint8_t)kind, str_from(two) };
	msg_put_need_facts(&b, &m);
	rig_send(PROTO_NEED_FACTS, id, buf_str(&b));
	buf_free(&b);
}

struct msg_facts *
scene_want_facts(uint64_t id)
{
	static struct msg_facts m;
	struct rig_frame f = rig_expect(PROTO_FACTS);

	ck_assert_uint_eq(f.id, id);
	ck_assert_int_eq(msg_get_facts(f.payload, &m), 0);
	return &m;
}

/* Within a second of the client's going. */
void
scene_over(void)
{
	for (int i = 0; i < 20 && rig_ping().connections > 0; i++)
		usleep(50000);
	ck_assert_uint_eq(rig_ping().active, 0);
}

struct scene
scene_asked(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, SCENE_GET);
	s.id = rig_request(NULL);
	return s;
}

struct scene
scene_sends_body(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, SCENE_POST "01234");
	s.id = rig_request(NULL);
	rig_need_body(s.id, 100);
	rig_expect(PROTO_BODY);
	return s;
}

struct scene
scene_looks_up(void)
{
	struct scene s = scene_asked();

	scene_need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n",
	    NULL);
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	return s;
}

struct scene
scene_forwarded(enum forward_response mode, int flags)
{
	struct scene s = scene_asked();

	rig_forward(s.id, FORWARD_BODY_NONE, mode, flags, SCENE_GET, "");
	s.daemon = rig_daemon();
	rig_want(s.daemon, SCENE_GET);
	return s;
}

struct scene
scene_relays(void)
{
	return scene_forwarded(FORWARD_RELAY, 0);
}

struct scene
scene_relays_body(void)
{
	struct scene s = scene_relays();

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
	rig_head(s.client);
	rig_want(s.client, "abc");
	return s;
}

struct scene
scene_relays_chunks(void)
{
	struct scene s = scene_relays();

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
	    "\r\n9\r\nabc");
	rig_head(s.client);
	rig_want(s.client, "9\r\nabc");
	return s;
}

struct scene
scene_uploads(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, SCENE_POST "01234");
	s.id = rig_request(NULL);
	rig_forward(s.id, FORWARD_BODY_STREAM, FORWARD_RELAY, 0, SCENE_PUT, "");
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	rig_want(s.daemon, "01234");
	return s;
}

struct scene
scene_scans(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, SCENE_POST "01234");
	s.id = rig_request(NULL);
	rig_forward(s.id, FORWARD_BODY_SCAN, FORWARD_RELAY, 0, SCENE_PUT, "");
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	rig_expect(PROTO_BODY);
	return s;
}

struct scene
scene_judges(void)
{
	return scene_forwarded(FORWARD_JUDGE, 0);
}

struct scene
scene_judges_part(void)
{
	struct scene s = scene_judges();

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
	rig_want_silence(s.client);
	return s;
}

struct scene
scene_creates(void)
{
	return scene_forwarded(FORWARD_JUDGE, FORWARD_CREATES);
}

struct scene
scene_confirms(void)
{
	struct scene s = scene_creates();

	rig_put(s.daemon, "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n"
	    "{}");
	rig_expect(PROTO_RESPONSE);
	return s;
}

struct scene
scene_confirms_list(void)
{
	struct scene s = scene_judges();

	rig_put(s.daemon, SCENE_OK);
	rig_expect(PROTO_RESPONSE);
	return s;
}

struct scene
scene_judges_lines(void)
{
	struct scene s = scene_forwarded(FORWARD_JUDGE_LINES, 0);

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\n\r\n{1}\n");
	rig_head(s.client);
	rig_expect(PROTO_RESPONSE);
	return s;
}

struct scene
scene_tunnels(void)
{
	struct scene s = scene_forwarded(FORWARD_HIJACK, 0);

	rig_put(s.daemon, "HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\n");
	rig_head(s.client);
	return s;
}
