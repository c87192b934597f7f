/*
 * Reads a payload.  Unknown fields appear over time and are ignored.
 */
#include <string.h>

#include "hookctl/json.h"
#include "hookctl/payload.h"

int
payload_is_id(const char *id)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789";
	static const char rest[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t n = strlen(id);

	return n > 0 && n <= PAYLOAD_ID_MAX && strchr(first, id[0]) != NULL &&
	    strspn(id, rest) == n;
}

static const char *
absolute(const char *path)
{
	return path != NULL && path[0] == '/' ? path : NULL;
}

static int
read_fields(struct payload *p, const char *event)
{
	const char *name = json_get_text(p->root, "hook_event_name");
	struct json_object *command;

	p->session_id = json_get_text(p->root, "session_id");
	if (name == NULL || strcmp(name, event) != 0 ||
	    p->session_id == NULL || !payload_is_id(p->session_id))
		return -1;
	p->cwd = absolute(json_get_text(p->root, "cwd"));
	p->scratchpad = absolute(json_get_text(p->root, "scratchpad_dir"));
	p->source = json_get_text(p->root, "source");
	p->reason = json_get_text(p->root, "reason");
	p->tool_name = json_get_text(p->root, "tool_name");
	command = json_get(json_get(p->root, "tool_input"), "command");
	if (!json_object_is_type(command, json_type_string))
		return 0;
	p->command.data = json_object_get_string(command);
	p->command.len = (size_t)json_object_get_string_len(command);
	return 0;
}

int
payload_read(struct payload *p, struct str text, const char *event)
{
	memset(p, 0, sizeof(*p));
	p->root = json_read(text, JSON_DEPTH);
	if (p->root == NULL)
		return -1;
	if (read_fields(p, event) == 0)
		return 0;
	payload_free(p);
	return -1;
}

void
payload_free(struct payload *p)
{
	json_object_put(p->root);
	memset(p, 0, sizeof(*p));
}
