/*
 * What is particular to networks, volumes, images, commits and builds.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/image.h"
#include "policyd/owner.h"
#include "policyd/parse.h"
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
	/*
	 * Two of one name make it ambiguous, for whoever has the first; podman
	 * would say its id, as if it had just been made.
	 */
	json_object_object_add(j->tree, "CheckDuplicate",
	    json_object_new_boolean(1));
	return 0;
}

int
prepare_volume_create(struct judge *j)
{
	check_set_label(j, j->tree, "Labels");
	j->subject = arena_str(j->arena, check_member_str(j->tree, "Name"));
	return 0;
}

/*
 * podman removes by the beginning of a name where no volume has the name itself
 * any more: of two deletes at once the second would take somebody else's.
 */
int
prepare_volume_delete(struct judge *j)
{
	const struct fact *fact;
	struct json_object *list;
	size_t n;

	if (j->request->backend.kind != BACKEND_PODMAN)
		return 0;
	if ((fact = owner_get_libpod(j, STR("/volumes/json"))) == NULL)
		return 0;
	list = fact->status == 200 ? parse_said(fact->text) : NULL;
	json_object_array_add(j->garbage, list);
	if (!json_object_is_type(list, json_type_array))
		return judge_refuse(j, R_FACTS, STR("volume"),
		    "the service does not list its volumes; try again");
	n = json_object_array_length(list);
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		struct str name = check_member_str(one, "Name");

		if (name.len > j->subject.len && str_equal(str_first(name,
		    j->subject.len), j->subject) && !owner_has_label(j,
		    check_member(one, "Labels")))
			return judge_refuse(j, R_VOLUME, STR("volume"),
			    "the name %s is the beginning of another volume's, "
			    "which podman might remove in its place; leave it to "
			    "the operator", judge_show(j, j->subject));
	}
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
