/* ptp/reserved_names.h - the reserved keys in the table of a component or a task.
 *
 * A setting with one of these names could never be given a value, so the compiler, ptp-manifest
 * and the host reject it. Plain C without dependencies.
 */

#ifndef PTP_RESERVED_NAMES_H
#define PTP_RESERVED_NAMES_H

#define PTP_FOR_EACH_RESERVED_NAME(DO) \
    DO("type")                         \
    DO("batch_size")                   \
    DO("priority")                     \
    DO("streams")                      \
    DO("globals")                      \
    DO("statistics")                   \
    DO("share")                        \
    DO("load")                         \
    DO("freeze")                       \
    DO("enabled")                      \
    DO("phases")                       \
    DO("skip_if_missing")

/* For the initializer of a list: const char *names[] = {PTP_RESERVED_NAMES}; */
#define PTP_RESERVED_NAME_ITEM(name) name,
#define PTP_RESERVED_NAMES PTP_FOR_EACH_RESERVED_NAME(PTP_RESERVED_NAME_ITEM)

#endif
