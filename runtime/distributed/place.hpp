// The place of this process among those that train together, as whatever has started it has set it
// in the environment: ptprun --nproc, torchrun, Slurm, Open MPI or another MPI, or RANK and
// WORLD_SIZE by hand.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ptp::distributed {

struct Place {
    std::int64_t rank = 0;
    std::int64_t size = 1;
    std::int64_t local_rank = 0;  // among those of this host
    std::int64_t local_size = 1;  // 1 where it is not known
    std::string host = {};        // the name of this one

    // Where rank 0 hosts the store by which the processes find each other; "" and 0 for one
    // process. With torchrun it is not its port: at that its agent may host a store of its own, in
    // the protocol of its own version of libtorch.
    std::string address = {};
    std::uint16_t port = 0;
    std::string store_prefix = {};  // of the keys in it, another one for each restart
    std::string secret = {};        // that admits to it; "": secret_of_user() (secret.hpp)

    std::string launcher = {};        // "torchrun"; "" for one process
    std::int64_t restart = 0;         // how often the processes have been started again
    std::string restart_reason = {};  // one line; "" in the first attempt

    [[nodiscard]] bool is_one() const { return size == 1; }
    [[nodiscard]] bool is_first() const { return rank == 0; }
    [[nodiscard]] bool is_one_host() const { return local_size == size; }
};

// The value of a variable of the environment; nullptr where it is not set. std::getenv() is one.
using Lookup = std::function<const char*(const char* name)>;

// Variables that ptprun sets besides those of torchrun.
inline constexpr const char* kLauncherVariable = "PTP_LAUNCHER";  // the number of its process
inline constexpr const char* kRunFolderVariable = "PTP_RUN_FOLDER";
inline constexpr const char* kSecretVariable = "PTP_SECRET";  // see secret.hpp
inline constexpr const char* kRestartVariable = "PTP_RESTART";
inline constexpr const char* kRestartReasonVariable = "PTP_RESTART_REASON";

// A variable that is set to nothing counts as one that is not set. Throws WithFix<RunError> with
// kConfigurationError for variables that are incomplete, or contradict each other.
Place place_from(const Lookup& environment, const std::string& host);

// All that decide on it: a program that starts others that each train alone unsets them.
std::vector<std::string> place_variables();

// How many tasks the job has that Slurm runs this script in, where no srun has started it: it is
// one process then, which its user may not expect. 1 elsewhere.
std::int64_t tasks_without_srun(const Lookup& environment);

// The name of this host.
std::string host_name();

}  // namespace ptp::distributed
