// The place of this process among those that train together, from the environment variables of its
// launcher: ptprun --nproc, torchrun, Slurm, Open MPI or another MPI, or RANK and WORLD_SIZE set by
// hand.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptp::distributed {

struct Place {
    std::int64_t rank = 0;
    std::int64_t size = 1;
    std::int64_t local_rank = 0;  // among those of this host
    std::int64_t local_size = 1;  // 1 if unknown
    std::string host = {};        // the name of this host

    // The address of the store of rank 0, in which the processes meet; "" and 0 for one process.
    // With torchrun it is not torchrun's port, at which its agent may host a store of its own, in
    // the protocol of its version of libtorch.
    std::string address = {};
    std::uint16_t port = 0;
    std::string secret = {};  // for access to it; "": secret_of_user() (secret.hpp)

    std::string launcher = {};        // "torchrun"; "" for one process
    std::int64_t restart = 0;         // how often the processes have been restarted
    std::string restart_reason = {};  // one line; "" in the first attempt

    [[nodiscard]] bool is_one() const { return size == 1; }
    [[nodiscard]] bool is_first() const { return rank == 0; }
    [[nodiscard]] bool is_one_host() const { return local_size == size; }
};

// Returns the value of an environment variable, nullptr if it is not set, like std::getenv().
using Lookup = std::function<const char*(const char* name)>;

// Variables that ptprun sets besides those of torchrun.
inline constexpr const char* kLauncherVariable = "PTP_LAUNCHER";  // its process ID
inline constexpr const char* kRunFolderVariable = "PTP_RUN_FOLDER";
inline constexpr const char* kSecretVariable = "PTP_SECRET";  // see secret.hpp
inline constexpr const char* kRestartVariable = "PTP_RESTART";
inline constexpr const char* kRestartReasonVariable = "PTP_RESTART_REASON";

// An empty variable counts as not set. Throws WithFix<RunError> with kConfigurationError for
// variables that are incomplete, or contradict each other.
Place place_from(const Lookup& environment, const std::string& host);

// Returns all variables that determine it: a program that starts processes that train alone unsets
// them.
std::vector<std::string> place_variables();

// Returns the number of tasks of the job in which Slurm runs this script without srun: it is one
// process then, which users may not expect. Returns 1 elsewhere.
std::int64_t tasks_without_srun(const Lookup& environment);

// Returns the first host of a list in a variable of Slurm: "node07" for "node[07-12,15],login1"; ""
// if the list has another form.
std::string first_host(const std::string& nodes);

// Returns the number at this index, from 0, of a list such as "4(x2),3"; nullopt if it has none.
std::optional<std::int64_t> tasks_on_node(const std::string& tasks_per_node, std::int64_t node);

// Returns the name of this host.
std::string host_name();

}  // namespace ptp::distributed
