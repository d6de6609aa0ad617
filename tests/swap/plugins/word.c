/* What a build of mischief.cpp does wrong; "" if nothing. */

extern const char* const ptp_test_mischief;
const char* const ptp_test_mischief = PTP_TEST_MISCHIEF;
