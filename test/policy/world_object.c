/*
 * Who is there: containers, execs, networks, volumes and images.
 */
#include "test/policy/world.h"
#include "test/policy/world_object.h"

#define ID(start) start "00000000000000000000000000000000" \
	"000000000000000000000000"
#define OWN_ID		ID("1a2b3c41")
#define FOREIGN_ID	ID("fe102938")
#define IMAGE_ID	ID("b395c06b")
#define P		WORLD_PROJECT

/* clang-format off */
static const struct world_kind kinds[] = {
	{ WORLD_CONTAINERS, "containers", "/json",
	    "{\"Id\":\"$i\",\"Name\":\"/$n\",\"Config\":{\"Image\":\"busybox\",\"Labels\":$l},$x}",
	    "\"State\":{\"Running\":true},\"HostConfig\":{\"Binds\":null,\"RestartPolicy\":{\"Name\":\"no\",\"MaximumRetryCount\":0}}",
	    "{\"message\":\"No such container: $n\"}\n", true },
	{ WORLD_EXECS, "exec", "/json",
	    "{\"ID\":\"$i\",\"Running\":false,\"ContainerID\":\"$x\"}",
	    OWN_ID, "{\"message\":\"No such exec instance: $n\"}\n", false },
	{ WORLD_NETWORKS, "networks", "",
	    "{\"Name\":\"$n\",\"Id\":\"$i\",\"Scope\":\"local\",\"Driver\":\"bridge\",\"Containers\":{},\"Options\":{},\"Labels\":$l$x}",
	    "", "{\"message\":\"network $n not found\"}\n", true },
	{ WORLD_VOLUMES, "volumes", "",
	    "{\"CreatedAt\":\"2026-01-01T00:00:00Z\",\"Driver\":\"local\",\"Labels\":$l,\"Mountpoint\":\"/var/lib/docker/volumes/$n/_data\",\"Name\":\"$n\",\"Options\":null,\"Scope\":\"local\"$x}",
	    "", "{\"message\":\"get $n: no such volume\"}\n", false },
	{ WORLD_IMAGES, "images", "/json",
	    "{\"Id\":\"sha256:$i\",\"RepoTags\":[\"$n\"],\"Config\":{\"Labels\":$l,\"ExposedPorts\":{\"80/tcp\":{}}}$x}",
	    "", "{\"message\":\"No such image: $n\"}\n", true },
	{ WORLD_PODS, "pods", "/json",
	    "{\"Id\":\"$i\",\"Name\":\"$n\",\"Labels\":$l,\"Containers\":[{\"Id\":\"$x\"}]}",
	    OWN_ID, "{\"cause\":\"no such pod\",\"message\":\"no such pod $n\",\"response\":404}\n", true },
};

#define HOST(binds, mounts, policy) \
	"\"State\":{\"Running\":false},\"HostConfig\":{\"Binds\":" binds \
	",\"Mounts\":" mounts ",\"RestartPolicy\":{\"Name\":\"" policy \
	"\",\"MaximumRetryCount\":0}}"
#define MOUNT(source) "[{\"Type\":\"bind\",\"Source\":\"" source \
	"\",\"Target\":\"/m\"}]"

/* Mounts that came from another container: in the daemon's own list alone. */
#define HEIR_OF(giver, mounts) \
	"\"State\":{\"Running\":false},\"HostConfig\":{\"Binds\":null," \
	"\"VolumesFrom\":[\"" giver ":rw\"],\"RestartPolicy\":{\"Name\":\"no\"," \
	"\"MaximumRetryCount\":0}},\"Mounts\":" mounts
#define HEIR(source) HEIR_OF(OWN_ID, "[{\"Type\":\"volume\"," \
	"\"Name\":\"own-vol\",\"Source\":\"/var/lib/docker/v\"," \
	"\"Destination\":\"/data\"},{\"Type\":\"bind\",\"Source\":\"" source \
	"\",\"Destination\":\"/m\"}]")

/* What podman starts first, by its own list or by a mode. */
#define NEEDS(ids) "\"State\":{\"Running\":false},\"Dependencies\":[" ids "]"
#define JOINS(mode, id) "\"State\":{\"Running\":false},\"HostConfig\":{\"" \
	mode "\":\"container:" id "\"}"
#define FOUR(start) "\"" ID(start "0") "\",\"" ID(start "1") "\",\"" \
	ID(start "2") "\",\"" ID(start "3") "\""
#define MANY	FOUR("2e00000") "," FOUR("2e00001") "," FOUR("2e00002") "," \
	FOUR("2e00003") "," FOUR("2e00004") "," FOUR("2e00005") "," \
	FOUR("2e00006") ",\"" ID("2e000070") "\",\"" ID("2e000071") "\",\"" \
	ID("2e000072") "\""
/* Networks by name, with the id of one that the container has been on. */
#define ON(mode, networks) "\"State\":{\"Running\":false}," \
	"\"HostConfig\":{\"NetworkMode\":\"" mode "\"}," \
	"\"NetworkSettings\":{\"Networks\":" networks "}"
#define NET(name, id)	"\"" name "\":{\"NetworkID\":\"" id "\"}"

static const struct world_object objects[] = {
	{ WORLD_CONTAINERS, OWN_ID,		"own",		WORLD_OURS,	NULL },
	/* Its name is another's full id: ids come first. */
	{ WORLD_CONTAINERS, ID("2b000001"),	FOREIGN_ID,	WORLD_OURS,	NULL },
	{ WORLD_CONTAINERS, ID("2b000002"),	"bound-root",	WORLD_OURS,	HOST("[\"" P ":/m\"]", "null", "no") },
	{ WORLD_CONTAINERS, ID("2b000003"),	"bound-sub",	WORLD_OURS,	HOST("[\"own-vol:/v\",\"" P "/sub:/m:ro\"]", "null", "no") },
	{ WORLD_CONTAINERS, ID("2b000004"),	"bound-out",	WORLD_OURS,	HOST("[\"" P "/moved-out:/m\"]", "null", "no") },
	{ WORLD_CONTAINERS, ID("2b000005"),	"bound-in",	WORLD_OURS,	HOST("[\"" P "/moved-in:/m\"]", "null", "no") },
	{ WORLD_CONTAINERS, ID("2b000006"),	"bound-gone",	WORLD_OURS,	HOST("[\"" P "/gone:/m\"]", "null", "no") },
	{ WORLD_CONTAINERS, ID("2b000007"),	"bound-below-out", WORLD_OURS,	HOST("[\"" P "/moved-out/x:/m\"]", "null", "no") },
	{ WORLD_CONTAINERS, ID("2b000008"),	"mounts-sub",	WORLD_OURS,	HOST("null", MOUNT(P "/sub"), "no") },
	{ WORLD_CONTAINERS, ID("2b000009"),	"mounts-out",	WORLD_OURS,	HOST("null", MOUNT(P "/moved-out"), "no") },
	{ WORLD_CONTAINERS, ID("2b00000a"),	"mounts-vol",	WORLD_OURS,	HOST("null", "[{\"Type\":\"volume\",\"Source\":\"own-vol\",\"Target\":\"/m\"}]", "no") },
	/* Created before the gateway, or by hand, with our label. */
	{ WORLD_CONTAINERS, ID("2b00000b"),	"bound-host",	WORLD_OURS,	HOST("[\"/etc:/m\"]", "null", "no") },
	{ WORLD_CONTAINERS, ID("2b00000c"),	"heir-sub",	WORLD_OURS,	HEIR(P "/sub") },
	{ WORLD_CONTAINERS, ID("2b00000d"),	"heir-out",	WORLD_OURS,	HEIR(P "/moved-out") },
	/* As podman shows them. */
	{ WORLD_CONTAINERS, ID("2b00000e"),	"hidden-sub",	WORLD_OURS,	HEIR_OF(ID("2b000003"), "[]") },
	{ WORLD_CONTAINERS, ID("2b00000f"),	"hidden-out",	WORLD_OURS,	HEIR_OF(ID("2b000004"), "[]") },
	{ WORLD_CONTAINERS, ID("2b000010"),	"hidden-twice",	WORLD_OURS,	HEIR_OF(ID("2b00000f"), "[]") },
	{ WORLD_CONTAINERS, ID("2b000011"),	"orphan",	WORLD_OURS,	HEIR_OF(ID("2bdead00"), "[]") },
	{ WORLD_CONTAINERS, ID("2b000012"),	"own-heir",	WORLD_OURS,	HEIR_OF(ID("2b000012"), "[]") },
	{ WORLD_CONTAINERS, ID("2b000020"),	"needs-sub",	WORLD_OURS,	NEEDS("\"" ID("2b000003") "\"") },
	{ WORLD_CONTAINERS, ID("2b000021"),	"needs-out",	WORLD_OURS,	NEEDS("\"" ID("2b000004") "\"") },
	{ WORLD_CONTAINERS, ID("2b000022"),	"needs-twice",	WORLD_OURS,	NEEDS("\"" ID("2b000003") "\"" "," "\"" ID("2b000021") "\"") },
	{ WORLD_CONTAINERS, ID("2b000023"),	"needs-foreign",	WORLD_OURS,	NEEDS("\"" FOREIGN_ID "\"") },
	{ WORLD_CONTAINERS, ID("2b000024"),	"needs-gone",	WORLD_OURS,	NEEDS("\"" ID("2bdead00") "\"") },
	{ WORLD_CONTAINERS, ID("2b000025"),	"needs-itself",	WORLD_OURS,	NEEDS("\"" ID("2b000025") "\"" "," "\"" ID("2b000003") "\"") },
	{ WORLD_CONTAINERS, ID("2b000026"),	"needs-odd",	WORLD_OURS,	NEEDS("\"../own\"") },
	{ WORLD_CONTAINERS, ID("2b000027"),	"needs-31",	WORLD_OURS,	NEEDS(MANY) },
	{ WORLD_CONTAINERS, ID("2b000028"),	"needs-32",	WORLD_OURS,	NEEDS(MANY "," "\"" ID("2e000073") "\"") },
	{ WORLD_CONTAINERS, ID("2b000029"),	"needs-net",	WORLD_OURS,	NEEDS("\"" ID("2b000032") "\"") },
	{ WORLD_CONTAINERS, ID("2b00002a"),	"needs-broken",	WORLD_OURS,	NEEDS("\"broken\"") },
	{ WORLD_CONTAINERS, ID("2b00002b"),	"joins-network",	WORLD_OURS,	JOINS("NetworkMode", ID("2b000004")) },
	{ WORLD_CONTAINERS, ID("2b00002c"),	"joins-ipc",	WORLD_OURS,	JOINS("IpcMode", ID("2b000004")) },
	{ WORLD_CONTAINERS, ID("2b00002d"),	"joins-pid",	WORLD_OURS,	JOINS("PidMode", ID("2b000004")) },
	{ WORLD_CONTAINERS, ID("2b00002e"),	"joins-uts",	WORLD_OURS,	JOINS("UTSMode", ID("2b000004")) },
	{ WORLD_CONTAINERS, ID("2b00002f"),	"joins-userns",	WORLD_OURS,	JOINS("UsernsMode", ID("2b000004")) },
	{ WORLD_CONTAINERS, ID("2b000030"),	"joins-cgroup",	WORLD_OURS,	JOINS("CgroupMode", ID("2b000004")) },
	{ WORLD_CONTAINERS, ID("2b000031"),	"net-own",	WORLD_OURS,	ON("own-net", "{" NET("own-net", "") "}") },
	{ WORLD_CONTAINERS, ID("2b000032"),	"net-foreign",	WORLD_OURS,	ON("own-net", "{" NET("foreign-net", "") "}") },
	{ WORLD_CONTAINERS, ID("2b000033"),	"net-two",	WORLD_OURS,	ON("own-net", "{" NET("own-net", "") "," NET("foreign-net", "") "}") },
	{ WORLD_CONTAINERS, ID("2b000034"),	"net-was-own",	WORLD_OURS,	ON("own-net", "{" NET("foreign-net", ID("31000001")) "}") },
	{ WORLD_CONTAINERS, ID("2b000035"),	"net-was-foreign",	WORLD_OURS,	ON("own-net", "{" NET("own-net", ID("4f000001")) "}") },
	{ WORLD_CONTAINERS, ID("2b000036"),	"net-gone",	WORLD_OURS,	ON("own-net", "{" NET("gone-net", "") "}") },
	{ WORLD_CONTAINERS, ID("2b000037"),	"net-broken",	WORLD_OURS,	ON("own-net", "{" NET("broken", "") "}") },
	{ WORLD_CONTAINERS, ID("2b000038"),	"net-bridge",	WORLD_OURS,	ON("default", "{" NET("bridge", ID("50000001")) "}") },
	{ WORLD_CONTAINERS, ID("2b000039"),	"net-none",	WORLD_OURS,	ON("none", "{" NET("none", "") "}") },
	{ WORLD_CONTAINERS, ID("2b000044"),	"net-named-none", WORLD_OURS,	ON("bridge", "{" NET("none", "") "}") },
	{ WORLD_CONTAINERS, ID("2b00003a"),	"net-default",	WORLD_OURS,	ON("default", "{" NET("default", "") "}") },
	{ WORLD_CONTAINERS, ID("2b00003b"),	"net-podman",	WORLD_OURS,	ON("bridge", "{" NET("podman", "podman") "}") },
	{ WORLD_CONTAINERS, ID("2b00003c"),	"net-host",	WORLD_OURS,	ON("default", "{" NET("host", "") "}") },
	{ WORLD_CONTAINERS, ID("2b00003d"),	"net-hex",	WORLD_OURS,	ON("default", "{" NET("5000", "") "}") },
	{ WORLD_CONTAINERS, ID("2b00003e"),	"net-odd",	WORLD_OURS,	ON("default", "{" NET("../networks", "") "}") },
	{ WORLD_CONTAINERS, ID("2b00003f"),	"mode-own",	WORLD_OURS,	ON("own-net", "{}") },
	{ WORLD_CONTAINERS, ID("2b000040"),	"mode-foreign",	WORLD_OURS,	ON("foreign-net", "null") },
	{ WORLD_CONTAINERS, ID("2b000041"),	"mode-host",	WORLD_OURS,	ON("host", "{" NET("none", "") "}") },
	{ WORLD_CONTAINERS, ID("2b000042"),	"mode-bridge",	WORLD_OURS,	ON("bridge", "null") },
	{ WORLD_CONTAINERS, ID("2b000043"),	"mode-container",	WORLD_OURS,	ON("container:" OWN_ID, "{}") },
	{ WORLD_CONTAINERS, FOREIGN_ID,		"foreign",	WORLD_FOREIGN,	NULL },
	{ WORLD_CONTAINERS, ID("d0000001"),	"nobodys",	WORLD_NOBODYS,	NULL },

	{ WORLD_EXECS, ID("e0000001"),		"-",		WORLD_OURS,	OWN_ID },
	{ WORLD_EXECS, ID("e0000002"),		"-",		WORLD_FOREIGN,	FOREIGN_ID },
	{ WORLD_EXECS, ID("e0000003"),		"-",		WORLD_OURS,	ID("c0ffee00") },

	{ WORLD_NETWORKS, ID("31000001"),	"own-net",	WORLD_OURS,	NULL },
	{ WORLD_NETWORKS, ID("31000002"),	"own-net2",	WORLD_OURS,	NULL },
	{ WORLD_NETWORKS, ID("4f000001"),	"foreign-net",	WORLD_FOREIGN,	NULL },
	{ WORLD_NETWORKS, ID("50000001"),	"bridge",	WORLD_NOBODYS,	NULL },
	{ WORLD_NETWORKS, ID("60000001"),	"host",		WORLD_NOBODYS,	NULL },
	{ WORLD_NETWORKS, ID("70000001"),	"none",		WORLD_NOBODYS,	NULL },

	{ WORLD_VOLUMES, "",			"own-vol",	WORLD_OURS,	NULL },
	{ WORLD_VOLUMES, "",			"foreign-v",	WORLD_OURS,	NULL },
	{ WORLD_VOLUMES, "",			"foreign-vol",	WORLD_FOREIGN,	NULL },
	{ WORLD_VOLUMES, "",			"nobodys-vol",	WORLD_NOBODYS,	NULL },

	{ WORLD_PODS, ID("8a000001"),		"own-pod",	WORLD_OURS,	NULL },
	/* Its member's bind leads elsewhere by now. */
	{ WORLD_PODS, ID("8a000002"),		"moved-pod",	WORLD_OURS,	ID("2b000004") },
	{ WORLD_PODS, ID("8a000003"),		"needing-pod",	WORLD_OURS,	ID("2b000021") },
	{ WORLD_PODS, ID("8a000004"),		"net-pod",	WORLD_OURS,	ID("2b000032") },
	{ WORLD_PODS, ID("8a000005"),		"odd-pod",	WORLD_OURS,	FOREIGN_ID },
	{ WORLD_PODS, ID("8f000001"),		"foreign-pod",	WORLD_FOREIGN,	NULL },

	{ WORLD_IMAGES, IMAGE_ID,		"busybox",	WORLD_NOBODYS,	NULL },
	{ WORLD_IMAGES, ID("b395c06c"),		"localhost/busybox", WORLD_NOBODYS, NULL },
	{ WORLD_IMAGES, ID("b395c06d"),		"docker.io/library/busybox", WORLD_NOBODYS, NULL },
	{ WORLD_IMAGES, ID("b395c06e"),		"a",		WORLD_NOBODYS,	NULL },
	{ WORLD_IMAGES, ID("a1000001"),		"own-image:t",	WORLD_OURS,	NULL },
	{ WORLD_IMAGES, ID("a2000001"),		"foreign-image:t", WORLD_FOREIGN, NULL },
	{ WORLD_IMAGES, ID("a3000001"),		"shared:latest", WORLD_FOREIGN,	NULL },
	{ WORLD_IMAGES, ID("a6000001"),		"localhost/foreign-image:t", WORLD_FOREIGN, NULL },
	{ WORLD_IMAGES, ID("a5000001"),		"localhost/shared:latest", WORLD_FOREIGN, NULL },
	{ WORLD_IMAGES, ID("a5000002"),		"docker.io/library/shared:latest", WORLD_FOREIGN, NULL },
	{ WORLD_IMAGES, ID("a5000003"),		"other:latest",	WORLD_FOREIGN,	NULL },
	{ WORLD_IMAGES, ID("a4000001"),		"own-image:latest", WORLD_OURS,	NULL },
	{ WORLD_IMAGES, ID("a8000001"),		"leaky:t",	WORLD_NOBODYS,	",\"Config\":{\"WorkingDir\":\"/proc/self/fd/8\"}" },
	{ WORLD_IMAGES, ID("a8000002"),		"leaky-relative:t", WORLD_NOBODYS, ",\"Config\":{\"WorkingDir\":\"x/../dev\"}" },
	{ WORLD_IMAGES, ID("a8000003"),		"homely:t",	WORLD_NOBODYS,	",\"Config\":{\"WorkingDir\":\"/app\"}" },
	{ WORLD_IMAGES, ID("a9000001"),		"initial:t",	WORLD_NOBODYS,	",\"Config\":{\"Entrypoint\":[\"/lib/systemd/systemd\"],\"Cmd\":[\"x\"]}" },
	{ WORLD_IMAGES, ID("a9000002"),		"cafe",		WORLD_OURS,	NULL },
	{ WORLD_IMAGES, ID("a9000002"),		"cafe:latest",	WORLD_OURS,	NULL },
	/* What the runtime obeys, and what a builder writes. */
	{ WORLD_IMAGES, ID("a7000001"),		"groups:t",	WORLD_OURS,	",\"Annotations\":{\"run.oci.keep_original_groups\":\"1\"}" },
	{ WORLD_IMAGES, ID("a7000002"),		"unit:t",	WORLD_OURS,	",\"Annotations\":{\"org.opencontainers.image.created\":\"now\",\"org.systemd.property.TasksMax\":\"7\"}" },
	{ WORLD_IMAGES, ID("a7000003"),		"idle:t",	WORLD_OURS,	",\"Annotations\":{\"org.opencontainers.image.base.name\":\"x\",\"com.docker.official-images.bashbrew.arch\":\"amd64\"}" },
};

static const struct { const char *name, *value; } placeholders[] = {
	{ "PROJECT",	WORLD_PROJECT },
	{ "OUTSIDE",	WORLD_OUTSIDE },
	{ "EXTRA",	WORLD_EXTRA },
	{ "PERSONAL",	WORLD_PERSONAL },
	{ "RUN_DIR",	WORLD_RUN_DIR },
	{ "SLUG",	WORLD_SLUG },
	{ "OWN_ID",	OWN_ID },
	{ "FOREIGN_ID",	FOREIGN_ID },
	{ "F1",		"f" },
	{ "F8",		"fe102938" },
	{ "F12",	"fe1029380000" },
	{ "F63",	"fe102938" "00000000000000000000000000000000"
			"00000000000000000000000" },
	{ "FUP",	"FE102938" "00000000000000000000000000000000"
			"000000000000000000000000" },
	{ "OWN_EXEC",	ID("e0000001") },
	{ "FOREIGN_EXEC", ID("e0000002") },
	{ "LOST_EXEC",	ID("e0000003") },
	{ "OWN_NET",	ID("31000001") },
	{ "OWN_NET2",	ID("31000002") },
	{ "FOREIGN_NET", ID("4f000001") },
	{ "OWN_POD",	ID("8a000001") },
	{ "FOREIGN_NET12", "4f0000010000" },
	{ "FOREIGN_EXEC12", "e00000020000" },
	{ "HOST_NET",	ID("60000001") },
	{ "IMAGE_ID",	IMAGE_ID },
	{ "IMAGE12",	"b395c06b0000" },
	{ "IDLE_ID",	ID("a7000003") },
	{ "NEW_ID",	ID("99990001") },
};
/* clang-format on */

const struct world_kind *
world_object_kind(const char *collection)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].collection, collection) == 0)
			return &kinds[i];
	return NULL;
}

static const struct world_object *
find_by(const struct world_kind *kind, struct str ref,
    bool (*match)(const struct world_object *, struct str))
{
	const struct world_object *found = NULL;

	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		if (objects[i].kind != kind->kind || !match(&objects[i], ref))
			continue;
		if (found != NULL)
			return NULL;
		found = &objects[i];
	}
	return found;
}

static bool
has_id(const struct world_object *o, struct str ref)
{
	return ref.len > 0 && str_is(ref, o->id);
}

static bool
has_name(const struct world_object *o, struct str ref)
{
	return str_is(ref, o->name);
}

static bool
has_prefix(const struct world_object *o, struct str ref)
{
	return ref.len > 0 && ref.len <= strlen(o->id) && memcmp(o->id,
	    ref.data, ref.len) == 0;
}

const struct world_object *
world_object_find(const struct world_kind *kind, struct str ref)
{
	const struct world_object *object = find_by(kind, ref, has_id);

	if (object == NULL && kind->kind != WORLD_EXECS)
		object = find_by(kind, ref, has_name);
	if (object == NULL && kind->by_prefix)
		object = find_by(kind, ref, has_prefix);
	return object;
}

const char *
world_object_placeholder(struct str name)
{
	for (size_t i = 0; i < sizeof(placeholders) / sizeof(*placeholders);
	    i++)
		if (str_is(name, placeholders[i].name))
			return placeholders[i].value;
	return NULL;
}
