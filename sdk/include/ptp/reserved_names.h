/* ptp/reserved_names.h - the keys with a meaning of their own in the table of a component or a task. No
 * setting may have one of these names: its value could never be given. C11, no dependencies.
 *
 *     static const char *const names[] = {PTP_RESERVED_NAMES};
 */

#ifndef PTP_RESERVED_NAMES_H
#define PTP_RESERVED_NAMES_H

#define PTP_RESERVED_NAMES                                                                  \
    "type", "batch_size", "priority", "streams", "globals", "statistics", "load", "freeze", \
        "enabled", "phases", "skip_if_missing"

#endif
