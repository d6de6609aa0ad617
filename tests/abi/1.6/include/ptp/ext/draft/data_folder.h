/* ptp/ext/draft/data_folder.h - where the files that travel with a plugin are. A draft: a later
 * minor version may replace it by another revision and stop asking for this one. The rules of
 * <ptp/abi.h> hold. */
#ifndef PTP_EXT_DRAFT_DATA_FOLDER_H
#define PTP_EXT_DRAFT_DATA_FOLDER_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's ability to name the folder `PLUGIN.data` that lies beside the file PLUGIN.so. What is
 * loaded is a copy of the plugin, and the folder that is named is the copy of that folder: it does
 * not change while the plugin is loaded. */
#define PTP_HOST_DATA_FOLDER "ptp.data_folder/1"
typedef struct ptp_data_folder {
    uint32_t struct_size;
    /* Its absolute path, valid as long as the instance; NULL where the plugin has none. [any] */
    const char* (*path)(void* context);
} ptp_data_folder;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_DATA_FOLDER_H */
