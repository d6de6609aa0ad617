#include "engine/distributed/board.hpp"

#include "engine/component/compat.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <typeinfo>

namespace ptp::engine {

namespace {

using Texts = std::vector<std::optional<std::string>>;

struct Answer {
    std::mutex mutex;  // of the others
    std::condition_variable came;
    bool has_come = false;
    std::optional<Texts> texts;
};

// On a thread that is left alone where it is not done in time: a store whose process is halted
// answers no more, and neither does libtorch give up.
std::optional<Texts> within(std::chrono::milliseconds limit, std::function<Texts()> ask) {
    const auto answer = std::make_shared<Answer>();
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([answer, ask = std::move(ask)] {
        std::optional<Texts> texts;
        try {
            texts = ask();
        } catch (const std::exception&) {  // The store has ended.
            texts.reset();
        }
        const std::lock_guard<std::mutex> lock(answer->mutex);
        answer->has_come = true;
        answer->texts = std::move(texts);
        answer->came.notify_one();
    }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    std::unique_lock<std::mutex> lock(answer->mutex);
    answer->came.wait_for(lock, limit, [&] { return answer->has_come; });
    return answer->texts;
}

constexpr int kMaxFrames = 64;

// The file of the library that has an address; nullptr where it is unknown.
const void* library_of(const void* address) {
    Dl_info found{};
    return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

// Whether the exception that ends the program was thrown by libtorch, and by a function of its own: on
// the way down from abort() and the C++ library its frames come first.
bool is_thrown_by_torch() {
    std::array<void*, kMaxFrames> frames{};
    const int count = backtrace(frames.data(), kMaxFrames);
    const std::array passed = {library_of(reinterpret_cast<const void*>(&is_thrown_by_torch)),
                               library_of(reinterpret_cast<const void*>(&std::terminate))};
    const void* const torch = library_of(&typeid(c10d::TCPStore));
    for (const void* frame : std::span(frames).first(static_cast<std::size_t>(count))) {
        const void* const library = library_of(frame);
        if (std::ranges::find(passed, library) == passed.end()) {
            return library == torch;
        }
    }
    return false;
}

bool is_system_error() {
    try {
        throw;
    } catch (const std::system_error&) {
        return true;
    } catch (...) {
        return false;
    }
}

std::terminate_handler& earlier_handler() {
    static std::terminate_handler handler = nullptr;
    return handler;
}

// A store of libtorch 1.13 listens on a thread of its own, and throws there where the other end resets
// the connection, which nothing can catch. That thread ends, and no other: what waits for the store
// fails, too, and reports it. pthread_join() knows a thread that has ended like this.
[[noreturn]] void end_listening_thread() {
    if (is_system_error() && is_thrown_by_torch() && gettid() != getpid()) {
        for (;;) {
            syscall(SYS_exit, 0);
        }
    }
    earlier_handler()();
    std::abort();
}

void survive_reset_connections() {
    static const bool is_installed = [] {
        earlier_handler() = std::get_terminate();
        std::set_terminate(end_listening_thread);
        return true;
    }();
    static_cast<void>(is_installed);
}

}  // namespace

c10::intrusive_ptr<c10d::Store> open_store(const distributed::Place& place, bool is_host,
                                           std::chrono::milliseconds limit) {
    survive_reset_connections();
    c10d::TCPStoreOptions options;
    options.port = place.port;
    options.isServer = is_host;
    options.numWorkers = static_cast<std::size_t>(place.size);
    options.waitWorkers = false;  // what follows waits for them, and knows the reason
    options.timeout = limit;
    compat::use_plain_sockets(options);
    c10::intrusive_ptr<c10d::Store> store =
        c10::make_intrusive<c10d::TCPStore>(place.address, options);
    if (!place.store_prefix.empty()) {
        store = c10::make_intrusive<c10d::PrefixStore>(place.store_prefix, store);
    }
    store->setTimeout(limit);
    return store;
}

std::optional<Board> Board::open(const distributed::Place& place, std::chrono::milliseconds limit) {
    // Of the thread that opens it, which may be left alone.
    const auto opened = std::make_shared<c10::intrusive_ptr<c10d::Store>>();
    const auto open = [place, limit, opened] {
        *opened = open_store(place, false, limit);
        return Texts();
    };
    if (!within(limit, open)) {
        return std::nullopt;
    }
    return Board({opened->get(), [opened](c10d::Store*) {}});
}

bool Board::put(const std::string& key, const std::string& text, std::chrono::milliseconds limit) {
    const auto put = [store = store_, key, text] {
        store->set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
        return Texts();
    };
    return within(limit, put).has_value();
}

std::optional<Texts> Board::read(const std::vector<std::string>& keys,
                                 std::chrono::milliseconds limit) const {
    return within(limit, [store = store_, keys] {
        Texts texts;
        for (const std::string& key : keys) {
            std::optional<std::string>& text = texts.emplace_back();
            if (store->check({key})) {
                const std::vector<std::uint8_t> bytes = store->get(key);
                text.emplace(bytes.begin(), bytes.end());
            }
        }
        return texts;
    });
}

}  // namespace ptp::engine
