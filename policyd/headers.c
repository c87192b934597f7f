/*
 * Headers.  What goes out starts from none, so a header can only do harm here
 * by what it makes of the body (a form is merged into the query by both
 * daemons) or of the connection (an upgrade).
 */
#include "policyd/headers.h"
#include "policyd/route.h"

static bool
has_body(const struct judge *j)
{
	return j->request->body_kind == BODY_CHUNKED ||
	    (j->request->body_kind == BODY_LENGTH &&
	    j->request->body_length > 0);
}

/* Beginning of a media type, case aside. */
static bool
is_type(struct str value, const char *type)
{
	size_t n = strlen(type);

	return value.len >= n && str_equal_nocase(str_first(value, n),
	    str_from(type));
}

static int
check_type(struct judge *j, struct str value)
{
	if (!has_body(j) || (!is_type(value, "multipart/") && !is_type(value,
	    "application/x-www-form-urlencoded")))
		return 0;
	return judge_refuse(j, R_MEDIA_TYPE, STR("Content-Type"),
	    "a body of type %s is merged into the query by the daemon; send "
	    "application/json", judge_show(j, value));
}

/* A token in a comma list, case aside. */
static bool
has_token(struct str list, struct str token)
{
	while (list.len > 0) {
		struct str one = str_first(list, str_find(list, ','));

		list = str_skip(list, one.len + 1);
		while (one.len > 0 && one.data[0] == ' ')
			one = str_skip(one, 1);
		while (one.len > 0 && one.data[one.len - 1] == ' ')
			one.len--;
		if (str_equal_nocase(one, token))
			return true;
	}
	return false;
}

int
headers_check(struct judge *j)
{
	bool tcp = false, connection = false;
	int error;

	for (uint32_t i = 0; i < j->request->header_count; i++) {
		const struct pair *h = &j->request->header[i];

		if (str_equal_nocase(h->name, STR("Content-Type")) &&
		    (error = check_type(j, h->value)) != 0)
			return error;
		if (str_equal_nocase(h->name, STR("Upgrade")))
			tcp = tcp || has_token(h->value, STR("tcp"));
		if (str_equal_nocase(h->name, STR("Connection")))
			connection = connection || has_token(h->value,
			    STR("upgrade"));
	}
	j->wants_upgrade = tcp && connection &&
	    (j->route->flags & ROUTE_HIJACK) != 0;
	return 0;
}
