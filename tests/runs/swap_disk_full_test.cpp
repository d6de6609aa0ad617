// A swap while the disk has no room left.

#include "runs/live_run.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace swap_disk_full_test {

using namespace ptp::test;

namespace {

// PTPRUN FOLDER BUILD: the build is tried with room for it, and then without, while the training
// waits; and where its folder cannot be made anew.
constexpr const char* kSwapOnFullDisk = R"(
set -e
"$1" "$2/experiment.toml" --plugins "$2/installed" --quiet --paused --run-dir /mnt/run &
until "$1" control /mnt/run status; do kill -0 $!; done
"$1" swap /mnt/run "$3" --dry-run
i=0
while touch /mnt/$i; do i=$((i + 1)); done
"$1" swap /mnt/run "$3" 2> "$2/refused" || refused=$?
[ "$refused" -eq 5 ]
rm /mnt/[0-9]*
mkdir /mnt/run/swap-trial
mount -t tmpfs none /mnt/run/swap-trial
"$1" swap /mnt/run "$3" 2>> "$2/refused" || again=$?
[ "$again" -eq 5 ]
umount /mnt/run/swap-trial
"$1" control /mnt/run continue
wait $!
cp -r /mnt/run "$2/run"
)";

}  // namespace

TEST_CASE("disk full: a swap is refused, and the run has the bits of one without it") {
    if (!ptp::test::can_mount()) {
        return;
    }
    const ExperimentFolder folder(with_recurrent(3));
    install(folder);
    REQUIRE(ptp::test::run_on_disk(folder, "-o nr_inodes=500", kSwapOnFullDisk,
                                   recurrent_build("residual").string()) == 0);
    const std::string goes_on =
        "    the training continues with the running build, and this one is not tried again by "
        "itself\n"
        "    fix: make room there, or make it writable, then ask again at the end of the epoch\n";
    CHECK(without_hashes(folder.read("refused"), recurrent_build("residual").parent_path()) ==
          "ptprun: error: FOLDER/recurrent_residual.so: cannot be swapped in now (stage): its copy "
          "/mnt/run/plugins/recurrent_residual.1.HASH.so cannot be written: No space left on "
          "device\n" +
              goes_on +
              "ptprun: error: FOLDER/recurrent_residual.so: cannot be swapped in now (rehearse): "
              "/mnt/run/swap-trial, where new components are tried, cannot be made: Device or "
              "resource busy\n" +
              goes_on);
    REQUIRE(folder.run("plain", with_installed(folder)).status == 0);
    check_same_bits(folder, "plain", "run");
}

}  // namespace swap_disk_full_test
