// Reads the variables of each launcher, and refuses incomplete and contradictory ones.

#include "distributed/place.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <regex>
#include <string_view>

namespace ptp::distributed {

namespace {

constexpr std::int64_t kMaxSize = 1'000'000;
constexpr const char* kOneProcess =
    "to train in one process whatever the environment has: ptprun --nproc 1";

[[noreturn]] void refuse(const std::string& reason, const std::string& fix = kOneProcess) {
    throw WithFix<RunError>(kConfigurationError, Explanation{reason, fix});
}

// The variables in which a launcher sets the parts of a place; "" if it does not.
struct Names {
    std::string_view launcher;
    const char* rank;
    const char* size;
    const char* local_rank;
    const char* local_size;
};

constexpr const char* kTorchrunVariable = "TORCHELASTIC_RUN_ID";
constexpr Names kByHand = {"RANK and WORLD_SIZE", "RANK", "WORLD_SIZE", "LOCAL_RANK",
                           "LOCAL_WORLD_SIZE"};
constexpr Names kOpenMpi = {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                            "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kMpi = {"MPI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
constexpr Names kSlurm = {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""};

class Environment {
public:
    explicit Environment(const Lookup& lookup) : lookup_(lookup) {}

    // Returns "" if it is not set.
    [[nodiscard]] std::string text(const char* name) const {
        const char* const value = *name == '\0' ? nullptr : lookup_(name);
        return value == nullptr ? "" : std::string(trimmed(value));
    }
    [[nodiscard]] bool has(const char* name) const { return !text(name).empty(); }

    // Returns the first of these that is set; "" if none is.
    [[nodiscard]] std::string first_of(std::initializer_list<const char*> names) const {
        const auto* const found =
            std::ranges::find_if(names, [this](const char* name) { return has(name); });
        return found == names.end() ? "" : text(*found);
    }

    // Throws for a value that is not an integer in this range.
    [[nodiscard]] std::optional<std::int64_t> number(const char* name, std::int64_t min,
                                                     std::int64_t max) const {
        const std::string value = text(name);
        if (value.empty()) {
            return std::nullopt;
        }
        std::int64_t read = 0;
        const char* const end = value.data() + value.size();
        const auto [rest, error] = std::from_chars(value.data(), end, read);
        if (error != std::errc() || rest != end || read < min || read > max) {
            refuse(fmt::format("{} = {} in the environment: must be an integer from {} to {}", name,
                               value, min, max));
        }
        return read;
    }

private:
    const Lookup& lookup_;
};

// A launcher that has started this process, and its numbers.
struct Started {
    Names names;
    std::int64_t rank = 0;
    std::int64_t size = 1;
};

// Returns nullopt if neither number is set.
std::optional<Started> started_by(const Names& names, const Environment& environment) {
    const auto rank = environment.number(names.rank, 0, kMaxSize - 1);
    const auto size = environment.number(names.size, 1, kMaxSize);
    if (!rank && !size) {
        return std::nullopt;
    }
    if (!rank || !size) {
        const char* const given = rank ? names.rank : names.size;
        refuse(fmt::format("the environment has {} = {}, but no {}", given, environment.text(given),
                           rank ? names.size : names.rank),
               fmt::format("to train in several processes set {1} and {2}; to train in one: "
                           "unset {0}",
                           given, names.rank, names.size));
    }
    if (*rank >= *size) {
        refuse(fmt::format("the environment has {} = {} and {} = {}: ranks are from 0 to {}",
                           names.rank, *rank, names.size, *size, *size - 1));
    }
    return Started{names, *rank, *size};
}

void read_local(const Environment& environment, const Names& names, Place& place) {
    const auto rank = environment.number(names.local_rank, 0, kMaxSize - 1);
    const auto size = environment.number(names.local_size, 1, kMaxSize);
    if (rank && size && *rank >= *size) {
        refuse(fmt::format("the environment has {} = {} and {} = {}: local ranks are from 0 to {}",
                           names.local_rank, *rank, names.local_size, *size, *size - 1));
    }
    if (size && *size > place.size) {
        refuse(
            fmt::format("the environment has {} = {} and {} = {}: a host cannot have more "
                        "processes than there are",
                        names.local_size, *size, names.size, place.size));
    }
    place.local_rank = rank.value_or(0);
    place.local_size = size.value_or(1);
    if (names.launcher == kSlurm.launcher) {
        const auto node = environment.number("SLURM_NODEID", 0, kMaxSize);
        const std::string tasks =
            environment.first_of({"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
        place.local_size = tasks_on_node(tasks, node.value_or(0)).value_or(1);
    }
}

// srun sets it; a script of sbatch has SLURM_PROCID without it.
bool is_slurm_step(const Environment& environment) {
    return !environment.first_of({"SLURM_STEP_ID", "SLURM_STEPID"}).empty();
}

std::optional<Started> started_by_slurm(const Environment& environment) {
    if (!is_slurm_step(environment) || !environment.has(kSlurm.rank)) {
        return std::nullopt;
    }
    Names names = kSlurm;
    if (!environment.has(names.size)) {
        names.size = "SLURM_NTASKS";  // in older versions
    }
    return started_by(names, environment);
}

// Returns the innermost launcher of several, except one by RANK and WORLD_SIZE: mpirun starts a
// process of its own on each host by srun; srun itself may set PMI_RANK, too.
std::optional<Started> started_by_cluster(const Environment& environment) {
    if (auto open_mpi = started_by(kOpenMpi, environment)) {
        return open_mpi;
    }
    auto mpi = started_by(kMpi, environment);
    auto slurm = started_by_slurm(environment);
    const bool is_of_srun =
        slurm && (!mpi || (mpi->rank == slurm->rank && mpi->size == slurm->size));
    return is_of_srun ? slurm : mpi;
}

// RANK and WORLD_SIZE may come from a launcher that Slurm or MPI has started once on each host:
// then WORLD_SIZE is larger. Otherwise both must agree.
std::optional<Started> launcher_of(const Environment& environment) {
    auto by_hand = started_by(kByHand, environment);
    if (by_hand && (environment.has(kLauncherVariable) || environment.has(kTorchrunVariable))) {
        return by_hand;
    }
    auto cluster = started_by_cluster(environment);
    if (!by_hand || !cluster) {
        return by_hand ? by_hand : cluster;
    }
    if (by_hand->size < cluster->size ||
        (by_hand->size == cluster->size && by_hand->rank != cluster->rank)) {
        const Names& names = cluster->names;
        refuse(
            fmt::format("the environment contradicts itself: RANK = {} of WORLD_SIZE = {}, but {} "
                        "has started this process as {} = {} of {}",
                        by_hand->rank, by_hand->size, names.launcher, names.rank, cluster->rank,
                        cluster->size),
            fmt::format("unset RANK and WORLD_SIZE, so that what {} sets is used", names.launcher));
    }
    return by_hand;
}

// Returns a port below those for connections.
std::uint16_t port_for(const std::string& name) {
    constexpr std::uint64_t kFirst = 20'000;
    constexpr std::uint64_t kCount = 12'000;
    const std::uint64_t number = std::stoull(sha256(name).substr(0, 15), nullptr, 16);
    return static_cast<std::uint16_t>(kFirst + number % kCount);
}

// Returns a name that every process of a job has in common, and no other job has.
std::string job_name(const Environment& environment, const Names& names) {
    if (names.launcher == kSlurm.launcher) {
        return environment.text("SLURM_JOB_ID") + "." + environment.text("SLURM_STEP_ID");
    }
    return environment.first_of({"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_ID"});
}

std::string usual_address(const Environment& environment, const Names& names, const Place& place) {
    if (names.launcher != kByHand.launcher && place.is_one_host()) {
        return "127.0.0.1";
    }
    if (names.launcher != kSlurm.launcher) {
        return "";
    }
    for (const char* const name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
        if (const std::string host = first_host(environment.text(name)); !host.empty()) {
            return host;
        }
    }
    return "";
}

void read_address(const Environment& environment, const Names& names, Place& place) {
    place.address = environment.text("MASTER_ADDR");
    place.secret = environment.text(kSecretVariable);
    if (place.address.empty()) {
        place.address = usual_address(environment, names, place);
    }
    const auto port = environment.number("MASTER_PORT", 1, 65535);
    const std::string job = names.launcher == kByHand.launcher ? "" : job_name(environment, names);
    place.port = port           ? static_cast<std::uint16_t>(*port)
                 : !job.empty() ? port_for(job)
                                : std::uint16_t{0};
    std::vector<std::string> missing;
    if (place.address.empty()) {
        missing.emplace_back("MASTER_ADDR");
    }
    if (place.port == 0) {
        missing.emplace_back("MASTER_PORT");
    }
    if (!missing.empty()) {
        refuse(fmt::format("this process is rank {} of {} by {}, but the environment does not have "
                           "where rank 0 is found: no {}",
                           place.rank, place.size, names.launcher, join(missing, " and no ")),
               fmt::format("set {} in all processes, to {} (with mpirun: -x MASTER_ADDR=HOST); to "
                           "train in one process: ptprun --nproc 1",
                           join(missing, " and "),
                           missing.size() == 2 ? "the host of rank 0 and a free port of it"
                           : place.port == 0   ? "a free port of the host of rank 0"
                                               : "the host of rank 0"));
    }
}

// Reads further variables that torchrun and ptprun set for their processes.
void read_attempt(const Environment& environment, Place& place) {
    if (environment.has(kLauncherVariable)) {
        place.launcher = "ptprun";
        place.restart = environment.number(kRestartVariable, 0, kMaxSize).value_or(0);
        place.restart_reason = environment.text(kRestartReasonVariable);
    } else if (environment.has(kTorchrunVariable)) {
        place.launcher = "torchrun";
        place.restart = environment.number("TORCHELASTIC_RESTART_COUNT", 0, kMaxSize).value_or(0);
        place.port = port_for(fmt::format("{}:{}:{}", place.address, place.port, place.restart));
    }
}

}  // namespace

Place place_from(const Lookup& lookup, const std::string& host) {
    const Environment environment(lookup);
    Place place;
    place.host = host;
    const auto launcher = launcher_of(environment);
    if (!launcher) {
        return place;
    }
    if (launcher->size == 1) {
        if (environment.has(kLauncherVariable)) {
            read_attempt(environment, place);
        }
        return place;
    }
    const Names& names = launcher->names;
    place.rank = launcher->rank;
    place.size = launcher->size;
    place.launcher = names.launcher;
    read_local(environment, names, place);
    read_address(environment, names, place);
    read_attempt(environment, place);
    return place;
}

std::vector<std::string> place_variables() {
    std::vector<std::string> all = {"MASTER_ADDR", "MASTER_PORT", "SLURM_STEP_ID", "SLURM_STEPID"};
    for (const Names& names : {kByHand, kOpenMpi, kMpi}) {
        all.insert(all.end(), {names.rank, names.size, names.local_rank, names.local_size});
    }
    return all;
}

std::int64_t tasks_without_srun(const Lookup& lookup) {
    const Environment environment(lookup);
    if (!environment.has("SLURM_JOB_ID") || is_slurm_step(environment) || environment.has("RANK") ||
        environment.has(kOpenMpi.rank) || environment.has(kMpi.rank)) {
        return 1;
    }
    return environment.number("SLURM_NTASKS", 1, kMaxSize).value_or(1);
}

std::string first_host(const std::string& nodes) {
    // A comma within brackets separates numbers, outside of them hosts.
    static const std::regex numbers(R"(\[([^\],-]*)[^\]]*\])");
    const std::string first_ones = std::regex_replace(nodes, numbers, "$1");
    const std::string host = first_ones.substr(0, first_ones.find(','));
    return host.find('[') == std::string::npos ? host : "";
}

std::optional<std::int64_t> tasks_on_node(const std::string& tasks_per_node, std::int64_t node) {
    static const std::regex item(R"((\d{1,9})(?:\(x(\d{1,9})\))?(?:,|$))");
    std::smatch found;
    for (auto next = tasks_per_node.begin(); std::regex_search(
             next, tasks_per_node.end(), found, item, std::regex_constants::match_continuous);
         next = found[0].second) {
        const std::int64_t nodes = found[2].matched ? std::stoll(found[2]) : 1;
        if (node < nodes) {
            return std::stoll(found[1]);
        }
        node -= nodes;
    }
    return std::nullopt;
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace ptp::distributed
