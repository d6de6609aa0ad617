#include "run/process.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

namespace process_test {

using namespace ptp::run;

TEST_CASE("process: the 22nd field is found for any name of the program") {
    const char* fields = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 0 0\n";
    CHECK(began_in_stat(std::string("12 (ptprun)") + fields) == 4711);
    CHECK(began_in_stat(std::string("12 (a) S 1 (b) c)") + fields) == 4711);
    CHECK_FALSE(began_in_stat(""));
    CHECK_FALSE(began_in_stat("12 (ptprun) S 1 2"));
}

TEST_CASE("process: this one is alive, and began when it says") {
    const Machine machine = this_machine();
    const auto began = machine.began(getpid());
    REQUIRE(began);
    ProcessNote note{.pid = getpid(), .host = machine.host, .boot = machine.boot, .began = began};
    CHECK(may_be_alive(note, machine));
    note.began = *began + 1;
    CHECK_FALSE(may_be_alive(note, machine));
}

}  // namespace process_test
