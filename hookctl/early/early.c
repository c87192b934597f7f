/*
 * The first look: "hookctl ensure" runs before each shell command of the agent
 * and has nothing to do for nearly all of them.  Starting libc costs more than
 * looking (relocation, asking the processor what it can do), so this looks
 * first.
 *
 * What it can do is read descriptor 0 into one static buffer and end with 0.
 * It opens nothing, writes nothing, looks at no environment, and decides only
 * that nothing is to be done: by the same two functions as ensure.c, which asks
 * them again for whatever comes back from here.  Any other command line, and a
 * terminal, come back unread.
 */
#include <stdbool.h>

#include "hookctl/early/early.h"
#include "hookctl/early/kernel.h"
#include "hookctl/input.h"
#include "hookctl/prefilter.h"

static bool
is_ensure(const char *word)
{
	static const char ensure[] = "ensure";
	size_t i = 0;

	while (i < sizeof(ensure) && word[i] == ensure[i])
		i++;
	return i == sizeof(ensure);
}

void
early_look(const uintptr_t *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	struct str text;

	if (stack[0] != 2 || !is_ensure(argv[1]) || kernel_input_is_terminal())
		return;
	if (input_read(&text) != 0 || !prefilter_mentions_engine(text))
		kernel_exit();
}
