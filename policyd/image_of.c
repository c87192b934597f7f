/*
 * The image of a container that is to be made: which one it is, where it would
 * run, and what it says to podman's runtime.  Knows nothing of tags and who may move them.
 */
#include "policyd/checks.h"
#include "policyd/image.h"
#include "policyd/image_of.h"
#include "policyd/owner.h"

/*
 * podman puts an image's annotations into the container's config.json, where
 * the OCI runtime, its hooks and podman obey some of them: groups of the
 * service kept, properties of the systemd unit set.  These beginnings are
 * what builders and registries write and nobody acts on.
 */
static const char *const idle_annotations[] = {
	"org.opencontainers.image.", "org.label-schema.",
	"com.docker.official-images.", "vnd.docker.reference.", "io.buildah.",
};

static bool
is_idle_annotation(const char *key)
{
	for (size_t i = 0; i < sizeof(idle_annotations) /
	    sizeof(*idle_annotations); i++)
		if (str_starts(str_from(key), idle_annotations[i]))
			return true;
	return false;
}

static int
check_image_annotations(struct judge *j, const char *key,
    struct json_object *annotations)
{
	if (!json_object_is_type(annotations, json_type_object))
		return 0;
	json_object_object_foreach(annotations, name, value) {
		(void)value;
		if (!is_idle_annotation(name))
			return judge_refuse(j, R_ANNOTATION, str_from(key),
			    "the image has the annotation %s, which podman "
			    "would hand to the OCI runtime; take an image "
			    "without it", judge_show(j, str_from(name)));
	}
	return 0;
}

/* NULL: only now asked for, or refused. */
static struct json_object *
read_image(struct judge *j, struct str ref, bool is_libpod)
{
	struct str path = arena_printf(j->arena, "/images/%.*s/json",
	    STR_FMT(target_encode(j, ref, true)));
	const struct fact *fact = is_libpod ? owner_get_libpod(j, path) :
	    judge_get(j, path);
	struct json_object *image;
	bool absent = false;

	if (fact == NULL)
		return NULL;
	image = owner_fact_json(j, fact, &absent);
	/* docker says so itself; podman might have it by then, unjudged. */
	if (image == NULL && absent && j->request->backend.kind ==
	    BACKEND_PODMAN)
		owner_refuse_image(j, ref);
	return image;
}

/* Where the client names no directory, the image's is what is used. */
static int
check_image_workdir(struct judge *j, struct json_object *config)
{
	const char *key = j->target.is_libpod ? "work_dir" : "WorkingDir";
	struct str path = check_member_str(config, "WorkingDir"), clean;

	if (path.len == 0 || check_member_str(j->tree, key).len > 0)
		return 0;
	if (!str_starts(path, "/"))
		path = arena_printf(j->arena, "/%.*s", STR_FMT(path));
	if (check_is_workdir(j, path, &clean))
		return 0;
	return judge_refuse(j, R_WORKDIR, str_from(key), "the image's working "
	    "directory is \"%s\"; name one that is not under /proc, /sys or "
	    "/dev", judge_show(j, path));
}

/* podman: by docker's API a name may mean another image than by libpod. */
static int
settle_on_podman(struct judge *j, const char *key, struct json_object *image)
{
	struct str id = check_member_str(image, "Id");

	if (str_starts(id, "sha256:"))
		id = str_skip(id, strlen("sha256:"));
	if (id.len != 64 || !image_is_id(id))
		return judge_refuse(j, R_FACTS, str_from(key),
		    "the daemon's answer to a look-up has no id");
	if (!j->target.is_libpod)
		image = read_image(j, id, true);
	if (image == NULL)
		return j->refused ? -R_FACTS : 0;
	json_object_object_add(j->tree, key, judge_new_str(id));
	return check_image_annotations(j, key, check_member(image,
	    "Annotations"));
}

int
image_settle(struct judge *j, const char *key, struct json_object **config)
{
	struct str name = check_member_str(j->tree, key);
	struct json_object *image;
	int error;

	*config = NULL;
	if (name.len == 0)
		return 0;
	/* podman knows transports that read files: docker-archive:PATH. */
	if (!image_is_plain(j, name))
		return judge_refuse(j, R_IMAGE_NAME, str_from(key),
		    "%s is \"%s\"; write NAME[:TAG][@DIGEST] or an id", key,
		    judge_show(j, name));
	image = read_image(j, name, j->target.is_libpod);
	if (image == NULL)
		return j->refused ? -R_FACTS : 0;
	*config = check_member(image, "Config");
	if ((error = check_image_workdir(j, *config)) != 0)
		return error;
	if (j->request->backend.kind != BACKEND_PODMAN)
		return 0;
	return settle_on_podman(j, key, image);
}
