#include "host/open_engine.hpp"

#include "host/installation.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <boost/dll/shared_library.hpp>

#include <cstdlib>
#include <stdexcept>

namespace ptp::host {

namespace {

// Boost.DLL passes the mode on to dlopen() as it is. RTLD_NODELETE makes its unloading do nothing:
// libtorch's threads and the plugins live on.
constexpr auto kMode = static_cast<boost::dll::load_mode::type>(
    static_cast<unsigned>(boost::dll::load_mode::rtld_now) |
    static_cast<unsigned>(boost::dll::load_mode::rtld_local) | RTLD_NODELETE);

}  // namespace

void* engine_symbol(const char* name) {
    // The messages of libtorch's logging library at start-up are of no use.
    setenv("GLOG_minloglevel", "2", 0);
    // UCX, which libtorch of Debian 13 loads through MPI, prints its own report of a crash after
    // that of the engine.
    setenv("UCX_HANDLE_ERRORS", "none", 0);
    try {
        const boost::dll::shared_library library(engine_path().string(), kMode);
        return reinterpret_cast<void*>(&library.get<void()>(name));
    } catch (const boost::system::system_error& error) {
        throw std::runtime_error(fmt::format("the engine cannot be opened: {}", error.what()));
    }
}

}  // namespace ptp::host
