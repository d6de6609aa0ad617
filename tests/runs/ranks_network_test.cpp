// Two processes in network namespaces of their own, with names and addresses like two hosts, and a
// link between them that is slow, or is cut.

#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace ranks_network_test {

using ptp::test::ExperimentFolder;
using ptp::test::kShortTimeout;

namespace {

// PTPRUN PLUGINS FOLDER DEED: trains experiment.toml in node0 and node1 into FOLDER/run, and leaves
// their exit codes in FOLDER/codes.
constexpr const char* kTwoHosts = R"(
set -e
ptprun=$1 plugins=$2 folder=$3 deed=$4
mount -t tmpfs none /run
mkdir /run/netns
for node in 0 1; do ip netns add node$node; done
ip link add link0 netns node0 type veth peer name link1 netns node1
for node in 0 1; do
    ip -n node$node addr add 10.77.0.$((node + 1))/24 dev link$node
    ip -n node$node link set link$node up
    ip -n node$node link set lo up
done
if [ "$deed" = delay ]; then
    tc -n node0 qdisc add dev link0 root netem delay 2ms loss 1% 2>"$folder/no-netem" || exit 9
fi
address=10.77.0.1
if [ "$deed" = names ]; then
    address=node0
    printf '127.0.0.1 localhost\n127.0.1.1 node0\n10.77.0.2 node1\n' >"$folder/hosts0"
    printf '127.0.0.1 localhost\n127.0.1.1 node1\n10.77.0.1 node0\n' >"$folder/hosts1"
fi
export WORLD_SIZE=2 MASTER_ADDR=$address MASTER_PORT=29400 OMP_NUM_THREADS=1 hosts="$folder/hosts"
unset PTP_PLUGIN_PATH
start() {
    RANK=$1 nsenter --net=/run/netns/node$1 unshare --uts --mount sh -c 'hostname "$0"
        [ ! -f "$hosts$RANK" ] || mount --bind "$hosts$RANK" /etc/hosts || exit 98; exec "$@"' node$1 \
        "$ptprun" "$folder/experiment.toml" --plugins "$plugins" --run-dir "$folder/run" --quiet $2 \
        2>"$folder/errors$1"
}
paused=
[ "$deed" != cut ] || paused=--paused
start 1 $paused &
second=$!
start 0 $paused &
first=$!
if [ "$deed" = cut ]; then
    until "$ptprun" control "$folder/run" continue >/dev/null 2>&1; do kill -0 $first; done
    ip -n node1 link set link1 down
fi
code0=0 code1=0
wait $first || code0=$?
wait $second || code1=$?
echo "$code0 $code1" >"$folder/codes"
)";

int run_two_hosts(const ExperimentFolder& folder, const std::string& deed) {
    const std::filesystem::path script = folder.path() / "two_hosts.sh";
    std::ofstream(script) << kTwoHosts;
    const std::string ptprun = (ptp::test::build_dir() / "bin" / "ptprun").string();
    const int status =
        std::system(("unshare --user --map-root-user --net --mount sh " + script.string() + " " +
                     ptprun + " " + ptp::test::ranked_build("plain").parent_path().string() + " " +
                     folder.path().string() + " " + deed)
                        .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool can_make_networks() {
    const bool can = std::system(
                         "command -v ip >/dev/null && command -v nsenter >/dev/null && "
                         "unshare --user --map-root-user --net --mount sh -c 'mount -t "
                         "tmpfs none /run && mkdir /run/netns && ip netns add one && ip "
                         "link add link0 type veth peer name link1' 2>/dev/null") == 0;
    if (!can) {
        MESSAGE("skipped: network namespaces cannot be made here, or iproute2 is not installed");
    }
    return can;
}

std::string weights_of(const ExperimentFolder& folder, const std::string& run) {
    return folder.read(run + "/checkpoints/last/weights.safetensors");
}

// Newer versions report that an address has no name:
// "[W1123 23:42:47.202731543 socket.cpp:207] ...".
std::string without_warnings_of_libtorch(const std::string& errors) {
    return std::regex_replace(errors, std::regex("\\[W[0-9]+ [^\n]*\n"), "");
}

constexpr const char* kTwoEpochs =
    "optimizer = { type = \"Adam\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 2 }\n";
constexpr const char* kEndless =
    "optimizer = { type = \"Adam\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 1000000, "
    "early_stop_validations = 1000000, loss_stop_threshold = 0.0 }\n";

}  // namespace

TEST_CASE("network: two hosts train the bits of two processes of one") {
    if (!can_make_networks()) {
        return;
    }
    const ExperimentFolder folder({.training = kTwoEpochs, .has_test = false});
    REQUIRE(run_two_hosts(folder, "train") == 0);
    CHECK(folder.read("codes") == "0 0\n");
    CHECK(without_warnings_of_libtorch(folder.read("errors0")) == "");
    CHECK(folder.run("here", {"--nproc", "2"}).status == 0);
    CHECK(weights_of(folder, "run") == weights_of(folder, "here"));
}

TEST_CASE("network: a host may map its own name to its loopback interface") {
    if (!can_make_networks()) {
        return;
    }
    const ExperimentFolder folder({.training = kTwoEpochs, .has_test = false});
    REQUIRE(run_two_hosts(folder, "names") == 0);
    CHECK(folder.read("codes") == "0 0\n");
    CHECK(without_warnings_of_libtorch(folder.read("errors0")) == "");
    CHECK(without_warnings_of_libtorch(folder.read("errors1")) == "");
}

TEST_CASE("network: where the link is cut each process names the one that it cannot reach") {
    if (!can_make_networks()) {
        return;
    }
    const ExperimentFolder folder(
        {.training = kEndless, .pipeline = kShortTimeout, .has_test = false});
    REQUIRE(run_two_hosts(folder, "cut") == 0);
    CHECK(folder.read("codes") == "7 7\n");
    CHECK(folder.read("errors0").find("rank 1 of 2 on node1 gives no sign of life: it is stopped, "
                                      "or cannot be reached") != std::string::npos);
    CHECK(folder.read("errors1").find("rank 0 of 2 on node0 gives no sign of life: it is stopped, "
                                      "or cannot be reached") != std::string::npos);
}

TEST_CASE("network: where the host of the store fails, the other one names it and its error") {
    if (!can_make_networks()) {
        return;
    }
    const ExperimentFolder folder(ptp::test::with_ranked("deed = \"throw\"\nrank = 0"));
    REQUIRE(run_two_hosts(folder, "train") == 0);
    CHECK(folder.read("codes") == "4 7\n");
    const std::string errors = folder.read("errors1");
    CAPTURE(errors);
    CHECK(errors.find("rank 1 of 2 on node1 cannot continue, in episode 7, in ") !=
          std::string::npos);
    CHECK(errors.find(": rank 0 of 2 on node0 has failed: ") != std::string::npos);
    CHECK(errors.find("this sample cannot be had") != std::string::npos);
}

TEST_CASE("network: a link with delay and loss changes no bit") {
    if (!can_make_networks()) {
        return;
    }
    const ExperimentFolder folder({.training = kTwoEpochs, .has_test = false});
    if (run_two_hosts(folder, "delay") == 9) {
        const std::string reason = "skipped: no sch_netem: " + folder.read("no-netem");
        MESSAGE(reason);
        return;
    }
    CHECK(folder.read("codes") == "0 0\n");
    CHECK(folder.run("here", {"--nproc", "2"}).status == 0);
    CHECK(weights_of(folder, "run") == weights_of(folder, "here"));
}

}  // namespace ranks_network_test
