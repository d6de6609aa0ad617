/* ptp/ext/draft/pictures.h - pictures for the viewers of a run. A draft: a later minor version
 * may replace it by another revision and stop querying this one. The rules of <ptp/abi.h> apply. */
#ifndef PTP_EXT_DRAFT_PICTURES_H
#define PTP_EXT_DRAFT_PICTURES_H

#include <ptp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The host's ability to show pictures in the viewers of a run. Without a viewer, and when the
 * host only tests a component, it accepts pictures and discards them. */
#define PTP_HOST_PICTURES "ptp.pictures/1"
typedef struct ptp_picture { /* frozen */
    const char* tag;         /* (optional) distinguishes a component's pictures of an episode */
    const uint8_t* pixels;   /* row by row, of each pixel as many bytes as there are channels */
    uint32_t height;
    uint32_t width;
    uint32_t channels; /* 1 grey; 3 red, green and blue */
    uint32_t reserved; /* 0 */
} ptp_picture;
typedef struct ptp_pictures {
    uint32_t struct_size;
    /* Show a picture of the current episode; `context` is the host's. [step], in forward() */
    ptp_status (*show)(void* context, const ptp_picture* picture);
} ptp_pictures;

#ifdef __cplusplus
}
#endif

#endif /* PTP_EXT_DRAFT_PICTURES_H */
