// Asks Linux for cores and times.

#include "base/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

namespace ptp {

namespace {

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Sums over the cores that this process may use, whose lines begin with cpu0, cpu1, ...
double busy_ticks_of_own_cores() {
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof(own), &own) != 0) {
        return 0;
    }
    std::ifstream stat("/proc/stat");
    std::string line;
    double ticks = 0;
    while (std::getline(stat, line) && line.starts_with("cpu")) {
        const int core = line.size() > 3 && line[3] != ' ' ? std::atoi(line.c_str() + 3) : -1;
        if (core >= 0 && core < CPU_SETSIZE && CPU_ISSET(core, &own)) {
            ticks += busy_ticks(line);
        }
    }
    return ticks;
}

}  // namespace

CoreLimits own_core_limits() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;
    return {.affinity = is_known ? CPU_COUNT(&set)
                                 : static_cast<std::int64_t>(std::thread::hardware_concurrency())};
}

std::int64_t available_cores() {
    return available_cores(own_core_limits());
}

std::int64_t online_cores() {
    const std::int64_t count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count;
}

double busy_ticks(std::string_view line) {
    std::istringstream stream{std::string(line)};
    std::string name;
    double user = 0;
    double nice = 0;
    double system = 0;
    double idle = 0;
    double for_disk = 0;
    double interrupts = 0;
    double soft_interrupts = 0;
    double stolen = 0;
    if (!(stream >> name >> user >> nice >> system >> idle >> for_disk >> interrupts >>
          soft_interrupts >> stolen)) {
        return 0;
    }
    return user + nice + system + interrupts + soft_interrupts + stolen;
}

double waited_nanoseconds(const std::filesystem::path& tasks) {
    double total = 0;
    std::error_code error;
    // A thread may end meanwhile: a range-based for would throw then.
    std::filesystem::directory_iterator task(tasks, error);
    for (; !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
        std::ifstream file(task->path() / "schedstat");
        double computed = 0;
        double waited = 0;
        if (file >> computed >> waited) {
            total += waited;
        }
    }
    return total;
}

CpuTimes cpu_times_under(const CoreLimits& limits) {
    CpuTimes times{.wall = seconds_of(CLOCK_MONOTONIC),
                   .own = seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
    const auto quota = smallest_quota(limits);
    if (quota && quota->cores < static_cast<double>(limits.affinity)) {
        times.group = cpu_seconds_of_group(quota->group);
    }
    times.machine = busy_ticks_of_own_cores() / static_cast<double>(sysconf(_SC_CLK_TCK));
    times.waiting = waited_nanoseconds("/proc/self/task") * 1e-9;
    return times;
}

CpuTimes cpu_times() {
    return cpu_times_under(own_core_limits());
}

}  // namespace ptp
