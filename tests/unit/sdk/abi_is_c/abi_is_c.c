/* ptp/abi.h means the same in every language it is for; compiled once for each. */
#include "layout.h"

const size_t* PTP_TEST_NAME(void) {
    return ptp_test_layout;
}
