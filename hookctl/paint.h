/*
 * Colours, on a terminal only, and not where NO_COLOR is set.
 */
#ifndef HOOKCTL_PAINT_H
#define HOOKCTL_PAINT_H

enum paint { PAINT_NONE, PAINT_GOOD, PAINT_MIDDLING, PAINT_BAD, PAINT_DIM };

/* The sequence for it, or "". */
const char	*paint(enum paint);

#endif
