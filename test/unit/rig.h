/*
 * The real worker program with everybody around it played by the test: master,
 * policyd, the daemon and its clients.  Blocking calls in the order in which
 * things are to happen; each waits a bounded time and then fails the test.
 */
#ifndef TEST_UNIT_RIG_H
#define TEST_UNIT_RIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/message.h"

struct rig {
	pid_t	 pid;		/* the worker */
	int	 master;	/* our ends */
	int	 policy;
	int	 daemon;	/* listens */
	int	 log;		/* what the worker logs */
	char	 dir[64];
	char	 face[FACE_COUNT][108];
	char	 backend[108];
};

extern struct rig rig;

/* A frame that was received; the payload is good until the next one. */
struct rig_frame {
	uint64_t	 id;
	struct str	 payload;
};

/* Fixtures: a worker that serves; one that must still live and end well. */
void	 rig_start(void);
void	 rig_stop(void);
/* The worker has ended by itself: its exit status. */
int	 rig_wait(void);

/* ---- bytes */
void	 rig_put(int fd, const char *text);
void	 rig_put_bytes(int fd, const void *, size_t);
/* Exactly these bytes come next. */
void	 rig_want(int fd, const char *text);
/* All up to and with an empty line, as a string; good until the next call. */
const char *rig_head(int fd);
void	 rig_want_eof(int fd);
/* Nothing comes for a while. */
void	 rig_want_silence(int fd);
/* Has the peer gone?  Waits up to two seconds for it. */
bool	 rig_is_gone(int fd);
/* An answer with Content-Length; status as expected, the body is returned. */
const char *rig_answer(int fd, int status);

/* ---- client and daemon */
int	 rig_client(enum face);
int	 rig_daemon(void);		/* the worker's next connection */
void	 rig_daemon_stop(void);		/* nobody listens any more */
void	 rig_daemon_start(void);

/* ---- policyd */
struct rig_frame rig_expect(enum proto_type);
void	 rig_expect_nothing(void);
void	 rig_send(enum proto_type, uint64_t id, struct str payload);
uint64_t rig_request(struct msg_request *);	/* m may be NULL */
void	 rig_need_body(uint64_t id, uint64_t max);
void	 rig_forward(uint64_t id, enum forward_body, enum forward_response,
	    int flags, const char *head, const char *body);
void	 rig_deny(uint64_t id, int status, int reason, const char *text);
void	 rig_reply(uint64_t id, int status, int flags, const char *body);
void	 rig_window(uint64_t id, uint64_t taken, uint64_t released, bool done);
void	 rig_policy_dies(void);
void	 rig_policy_new(void);		/* master hands out a channel */

/* ---- master */
void	 rig_master_send(enum proto_type, struct str payload);
struct rig_frame rig_master_expect(enum proto_type);
void	 rig_backends(const char *path, int kind, int minor);
/* A channel as embedded has it; on it, what is to be dialled. */
int	 rig_service_channel(void);
void	 rig_service(int channel, int handle);
struct msg_pong rig_ping(void);
/* Descriptors that the worker has open. */
int	 rig_descriptors(void);
/* Everything that was logged so far. */
const char *rig_logged(void);

#endif
