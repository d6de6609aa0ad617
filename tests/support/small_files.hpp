// Files of this process may not grow beyond a size, for as long as this lives.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace ptp::test {

class SmallFiles {
public:
    explicit SmallFiles(rlim_t size_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{size_bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    void (*handler_)(int);
    rlimit before_{};
};

}  // namespace ptp::test
