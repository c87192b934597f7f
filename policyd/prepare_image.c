/*
 * What is particular to networks, volumes, images, commits and builds.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/image.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"

int
prepare_network_create(struct judge *j)
{
	check_set_label(j, j->tree, "Labels");
	j->subject = check_member_str(j->tree, "Name");
	if (j->subject.len == 0)
		return judge_refuse(j, R_BAD_VALUE, STR("Name"),
		    "a network needs a Name");
	j->subject = arena_str(j->arena, j->subject);
	return 0;
}

int
prepare_volume_create(struct judge *j)
{
	check_set_label(j, j->tree, "Labels");
	j->subject = arena_str(j->arena, check_member_str(j->tree, "Name"));
	return 0;
}

int
prepare_image_tag(struct judge *j)
{
	return image_check_target(j, query_value(j, "repo"),
	    query_value(j, "tag"));
}

int
prepare_image_load(struct judge *j)
{
	if (j->settings->image_load)
		return 0;
	return judge_refuse(j, R_IMAGE_IMPORT, STR("path"),
	    "an archive can move any tag; loading images needs "
	    "--allow-image-load");
}

int
prepare_image_create(struct judge *j)
{
	if (query_value(j, "fromSrc").len > 0) {
		if (query_value(j, "repo").len == 0)
			return 0;
		return image_check_target(j, query_value(j, "repo"),
		    query_value(j, "tag"));
	}
	if (query_value(j, "fromImage").len > 0)
		return 0;
	return judge_refuse(j, R_BAD_QUERY, STR("fromImage"),
	    "query parameter fromImage is missing");
}

int
prepare_commit(struct judge *j)
{
	struct str repo = query_value(j, "repo");
	int error;

	if (repo.len > 0 && (error = image_check_target(j, repo,
	    query_value(j, "tag"))) != 0)
		return error;
	/* Behind the client's own: the last of two equal labels wins. */
	query_append(j, "changes", arena_printf(j->arena, "LABEL %s=%.*s",
	    PROJECT_LABEL, STR_FMT(j->settings->slug)));
	/* podman wants a body, docker takes an empty object for none. */
	j->tree = json_object_new_object();
	return 0;
}

int
prepare_build_prune(struct judge *j)
{
	j->out->kind = VERDICT_ANSWER;
	j->out->answer.status = 200;
	j->out->answer.flags = ANSWER_OWN;
	j->out->answer.body = STR("{\"CachesDeleted\":null,"
	    "\"SpaceReclaimed\":0}\n");
	return 0;
}
