/*
 * The host's routes: which subnets they overlap, which do not count, and
 * tables that cannot be read.
 */
#include <stdio.h>
#include <string.h>

#include <check.h>

#include "policyd/hostroute.h"

Suite	*hostroute_suite(void);

#define HEAD	"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n"
#define ZEROES	"00000000000000000000000000000000"
#define SIX(address, bits, name) \
	address " " bits " " ZEROES " 00 " ZEROES \
	" 00000400 00000001 00000000 00000001     " name "\n"

/* A word as this machine's kernel prints it: HOST(10,123,0,0). */
static const char *
word(unsigned a, unsigned b, unsigned c, unsigned d)
{
	static char text[4][16];
	static unsigned turn;
	unsigned char bytes[4] = { (unsigned char)a, (unsigned char)b,
		(unsigned char)c, (unsigned char)d };
	char *out = text[turn++ % 4];
	unsigned value;

	memcpy(&value, bytes, sizeof(value));
	snprintf(out, 16, "%08X", value);
	return out;
}

static const struct row {
	unsigned	 to[4], mask[4];
	const char	*name;
	const char	*subnet;
	enum backend_kind engine;
	int		 want;
	const char	*text;
} rows[] = {
	{ { 10, 123, 0, 0 }, { 255, 255, 0, 0 }, "eth0", "10.123.5.0/24",
	    BACKEND_DOCKER, 1, "10.123.0.0/16 (eth0)" },
	{ { 10, 123, 5, 0 }, { 255, 255, 255, 0 }, "eth0", "10.123.0.0/16",
	    BACKEND_DOCKER, 1, "10.123.5.0/24 (eth0)" },
	{ { 10, 123, 0, 0 }, { 255, 255, 0, 0 }, "eth0", "10.122.0.0/16",
	    BACKEND_DOCKER, 0, NULL },
	{ { 10, 64, 0, 0 }, { 255, 192, 0, 0 }, "eth0", "10.127.255.0/24",
	    BACKEND_DOCKER, 1, "10.64.0.0/10 (eth0)" },
	{ { 10, 64, 0, 0 }, { 255, 192, 0, 0 }, "eth0", "10.128.0.0/24",
	    BACKEND_DOCKER, 0, NULL },
	{ { 10, 1, 2, 3 }, { 255, 255, 255, 255 }, "eth0", "10.1.2.0/24",
	    BACKEND_PODMAN, 1, "10.1.2.3/32 (eth0)" },
	{ { 10, 1, 2, 3 }, { 255, 255, 255, 255 }, "eth0", "fd00::/8",
	    BACKEND_PODMAN, 0, NULL },
	/* All of a private range counts, half of the world does not. */
	{ { 10, 0, 0, 0 }, { 255, 0, 0, 0 }, "tun0", "10.1.2.0/24",
	    BACKEND_DOCKER, 1, "10.0.0.0/8 (tun0)" },
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, "eth0", "10.1.2.0/24",
	    BACKEND_DOCKER, 0, NULL },
	{ { 8, 0, 0, 0 }, { 254, 0, 0, 0 }, "tun0", "10.1.2.0/24",
	    BACKEND_DOCKER, 0, NULL },
	{ { 0, 0, 0, 0 }, { 128, 0, 0, 0 }, "tun0", "10.1.2.0/24",
	    BACKEND_DOCKER, 0, NULL },
	/* An engine's own bridges, and what only looks like one. */
	{ { 172, 17, 0, 0 }, { 255, 255, 0, 0 }, "docker0", "172.17.5.0/24",
	    BACKEND_DOCKER, 0, NULL },
	{ { 172, 17, 0, 0 }, { 255, 255, 0, 0 }, "docker0", "172.17.5.0/24",
	    BACKEND_PODMAN, 1, "172.17.0.0/16 (docker0)" },
	{ { 172, 17, 0, 0 }, { 255, 255, 0, 0 }, "docker01", "172.17.5.0/24",
	    BACKEND_DOCKER, 1, "172.17.0.0/16 (docker01)" },
	{ { 172, 18, 0, 0 }, { 255, 255, 0, 0 }, "br-0123456789ab",
	    "172.18.0.0/16", BACKEND_DOCKER, 0, NULL },
	{ { 172, 18, 0, 0 }, { 255, 255, 0, 0 }, "br-0123456789xy",
	    "172.18.0.0/16", BACKEND_DOCKER, 1, NULL },
	{ { 172, 18, 0, 0 }, { 255, 255, 0, 0 }, "br-lan", "172.18.0.0/16",
	    BACKEND_DOCKER, 1, NULL },
	{ { 10, 89, 0, 0 }, { 255, 255, 255, 0 }, "podman12", "10.89.0.0/24",
	    BACKEND_PODMAN, 0, NULL },
	{ { 10, 89, 0, 0 }, { 255, 255, 255, 0 }, "cni-podman0",
	    "10.89.0.0/24", BACKEND_PODMAN, 0, NULL },
	{ { 10, 89, 0, 0 }, { 255, 255, 255, 0 }, "podman", "10.89.0.0/24",
	    BACKEND_PODMAN, 1, NULL },
	{ { 10, 89, 0, 0 }, { 255, 255, 255, 0 }, "podmanx", "10.89.0.0/24",
	    BACKEND_PODMAN, 1, NULL },
	{ { 10, 89, 0, 0 }, { 255, 255, 255, 0 }, "podman12", "10.89.0.0/24",
	    BACKEND_DOCKER, 1, NULL },
	{ { 10, 89, 0, 0 }, { 255, 255, 255, 0 }, "lo", "10.89.0.0/24",
	    BACKEND_DOCKER, 0, NULL },
	/* What is no subnet. */
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, "eth0", "10.1.2.0",
	    BACKEND_DOCKER, -1, NULL },
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, "eth0", "10.1.2.0/33",
	    BACKEND_DOCKER, -1, NULL },
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, "eth0", "10.1.2.0/x",
	    BACKEND_DOCKER, -1, NULL },
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, "eth0", "10.1/16",
	    BACKEND_DOCKER, -1, NULL },
};

START_TEST(four)
{
	const struct row *r = &rows[_i];
	char table[512], text[HOSTROUTE_TEXT_MAX] = "";

	snprintf(table, sizeof(table), HEAD
	    "eth9\t%s\t00000000\t0001\t0\t0\t0\t%s\t0\t0\t0     \n"
	    "%s\t%s\t00000000\t0001\t0\t0\t0\t%s\t0\t0\t0     \n",
	    word(192, 168, 255, 0), word(255, 255, 255, 0), r->name,
	    word(r->to[0], r->to[1], r->to[2], r->to[3]),
	    word(r->mask[0], r->mask[1], r->mask[2], r->mask[3]));
	ck_assert_int_eq(hostroute_overlap(str_from(table),
	    str_from(r->subnet), r->engine, text), r->want);
	if (r->text != NULL)
		ck_assert_str_eq(text, r->text);
}
END_TEST

static const struct six {
	const char	*table;
	const char	*subnet;
	int		 want;
} sixes[] = {
	{ SIX("fd123456000000000000000000000000", "40", "eth0"),
	    "fd12:3456::/80", 1 },
	{ SIX("fd123456000000000000000000000000", "40", "eth0"),
	    "fd12:3456:0:1::/64", 0 },
	{ SIX("fd123456000000000000000000000000", "40", "eth0"),
	    "10.0.0.0/8", 0 },
	{ SIX("fd123456000000000000000000000000", "40", "lo"),
	    "fd12:3456::/64", 0 },
	{ SIX("fd123456000000000000000000000001", "80", "eth0"),
	    "fd12:3456::/64", 1 },
	{ SIX("fc000000000000000000000000000000", "07", "eth0"), "fd00::/8",
	    1 },
	{ SIX("fc000000000000000000000000000000", "06", "eth0"), "fd00::/8",
	    0 },
	{ SIX(ZEROES, "00", "eth0"), "fd00::/8", 0 },
	{ SIX("ff000000000000000000000000000000", "08", "eth0"), "fd00::/8",
	    0 },
	{ SIX("FD123456000000000000000000000000", "40", "eth0"),
	    "fd12:3456::/64", 1 },
	{ "", "fd00::/8", 0 },
	{ "\n\n", "fd00::/8", 0 },
	/* What cannot be read hides nothing. */
	{ SIX("fd12345600000000000000000000000g", "40", "eth0"), "fd00::/8",
	    -1 },
	{ SIX("fd123456000000000000000000000000", "81", "eth0"), "fd00::/8",
	    -1 },
	{ SIX("fd123456000000000000000000000000", "4", "eth0"), "fd00::/8",
	    -1 },
	{ "fd123456000000000000000000000000 40\n", "fd00::/8", -1 },
	{ "eth0\t0000000\t0\t1\t0\t0\t0\t0000FFFF\t0\t0\t0\n", "10.0.0.0/8",
	    -1 },
	{ "eth0\t00000000\t0\t1\t0\t0\t0\t0000FFFx\t0\t0\t0\n", "10.0.0.0/8",
	    -1 },
	{ "nonsense", "10.0.0.0/8", -1 },
	{ "", "fd00::1::/64", -1 },
	{ "", "fd00::/129", -1 },
	{ "", "fd00::/", -1 },
	{ "", "", -1 },
};

START_TEST(six)
{
	char text[HOSTROUTE_TEXT_MAX] = "";

	ck_assert_int_eq(hostroute_overlap(str_from(sixes[_i].table),
	    str_from(sixes[_i].subnet), BACKEND_DOCKER, text),
	    sixes[_i].want);
}
END_TEST

Suite *
hostroute_suite(void)
{
	Suite *suite = suite_create("hostroute");
	TCase *tc = tcase_create("overlap");

	tcase_add_loop_test(tc, four, 0, sizeof(rows) / sizeof(*rows));
	tcase_add_loop_test(tc, six, 0, sizeof(sixes) / sizeof(*sixes));
	suite_add_tcase(suite, tc);
	return suite;
}
