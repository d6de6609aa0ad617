// The client of the store: one request and one answer at a time over one connection.

#include "engine/distributed/rank_store.hpp"

#include "distributed/secret.hpp"
#include "engine/distributed/network.hpp"
#include "engine/distributed/store_server.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

using std::chrono::milliseconds;
using Clock = StoreWire::Clock;

constexpr milliseconds kRetry{50};
constexpr milliseconds kTry{5000};  // at one address
constexpr milliseconds kReconnecting{1000};
constexpr milliseconds kAnswer{10000};  // beyond what it waits for

// The process does not belong to the training: retries are useless.
class Refused : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Returns a connected socket, or a negative descriptor if the address cannot be reached by the
// deadline, with the reason in errno.
Descriptor connected(const addrinfo& where, Clock::time_point deadline) {
    Descriptor socket(::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto rest = std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()),
                               milliseconds(1));  // 0 would be no limit
    const timeval limit{.tv_sec = rest.count() / 1000, .tv_usec = rest.count() % 1000 * 1000};
    const bool is_connected =
        socket.is_open() &&
        setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0 &&
        connect(socket.get(), where.ai_addr, where.ai_addrlen) == 0;
    if (!is_connected && errno == EINPROGRESS) {
        errno = ETIMEDOUT;
    }
    return is_connected ? std::move(socket) : Descriptor();
}

StoreWire introduced(Descriptor socket, const StorePlace& place, Clock::time_point deadline) {
    StoreWire wire(std::move(socket));
    wire.set_deadline(deadline);
    const std::string own = distributed::random_bytes(kNonceBytes);
    const std::string nonces = wire.receive(kNonceBytes) + own;
    wire.send(own);
    wire.send_number(static_cast<std::uint32_t>(place.ranks));
    wire.send(proof_of("rank", place.secret, nonces));
    const std::string reply = wire.receive_word();
    if (reply != "+" + proof_of("store", place.secret, nonces)) {
        throw Refused(reply.starts_with('-')
                          ? "rank 0 refuses this process: " + reply.substr(1)
                          : "who answers there does not know the secret of the training");
    }
    return wire;
}

StoreWire open_wire(const StorePlace& place, milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    for (;;) {
        std::string problem;
        try {
            const Addresses addresses = addresses_of(place.address.c_str(), place.port);
            for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
                const auto end = std::min(deadline, Clock::now() + kTry);
                Descriptor socket = connected(*one, end);
                if (socket.is_open()) {
                    return introduced(std::move(socket), place, end);
                }
                problem = std::generic_category().message(errno);
            }
        } catch (const Refused&) {
            throw;
        } catch (const std::exception& error) {
            problem = error.what();
        }
        if (Clock::now() + kRetry > deadline) {
            throw std::runtime_error(problem);
        }
        std::this_thread::sleep_for(kRetry);
    }
}

// [any] One request at a time.
class RankStore : public c10d::Store {
public:
    using Bytes = std::vector<std::uint8_t>;

    RankStore(StorePlace place, std::unique_ptr<StoreServer> server, milliseconds limit)
        : c10d::Store(limit),
          place_(std::move(place)),
          server_(std::move(server)),
          wire_(open_wire(place_, limit)) {}

    void set(const std::string& key, const Bytes& value) override {
        ask({std::string(kStoreSet), key, text_of(value)});
    }
    Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& value) override {
        return bytes_of(
            ask({std::string(kStoreCompareSet), key, text_of(expected), text_of(value)}));
    }
    Bytes get(const std::string& key) override {
        wait({key});
        const std::string found = ask({std::string(kStoreGet), key});
        if (!found.starts_with('+')) {
            throw std::runtime_error(fmt::format("the store has lost '{}'", key));
        }
        return bytes_of(found.substr(1));
    }
    std::int64_t add(const std::string& key, std::int64_t value) override {
        return std::stoll(ask({std::string(kStoreAdd), key, std::to_string(value)}));
    }
    bool deleteKey(const std::string& key) override {
        return ask({std::string(kStoreDelete), key}) == "+";
    }
    bool check(const std::vector<std::string>& keys) override {
        return ask(with_keys({std::string(kStoreCheck)}, keys)) == "+";
    }
    std::int64_t getNumKeys() override { return std::stoll(ask({std::string(kStoreCount)})); }
    void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
    void wait(const std::vector<std::string>& keys, const milliseconds& limit) override {
        const std::vector<std::string> words =
            with_keys({std::string(kStoreWait), std::to_string(limit.count())}, keys);
        if (ask(words, limit) != "+") {
            throw std::runtime_error(fmt::format("no rank has put '{}' into the store within {} ms",
                                                 keys.empty() ? "" : keys.front(), limit.count()));
        }
    }

    // Overrides a function of newer versions; older ones do not have it.
    c10::intrusive_ptr<c10d::Store> clone() {
        return c10::make_intrusive<RankStore>(place_, nullptr, timeout_);
    }

private:
    static std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }
    static Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }
    static std::vector<std::string> with_keys(std::vector<std::string> words,
                                              const std::vector<std::string>& keys) {
        words.insert(words.end(), keys.begin(), keys.end());
        return words;
    }

    std::string ask(const std::vector<std::string>& words, milliseconds waits = {}) {
        std::size_t bytes = 0;
        for (const std::string& word : words) {
            bytes += word.size();
        }
        if (bytes > kMaxRequestBytes || words.size() > kMaxRequestWords) {
            throw std::runtime_error(
                fmt::format("a request of {} words and {} bytes is too long for the store",
                            words.size(), bytes));
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        if (is_broken_) {
            wire_ = open_wire(place_, kReconnecting);
        }
        // If it fails, its answer may come yet, and would be taken for that of another request.
        is_broken_ = true;
        wire_.set_deadline(Clock::now() + waits + kAnswer);
        wire_.send_number(static_cast<std::uint32_t>(words.size()));
        for (const std::string& word : words) {
            wire_.send_word(word);
        }
        const std::string answer = wire_.receive_word();
        is_broken_ = false;
        return answer;
    }

    const StorePlace place_;
    std::unique_ptr<StoreServer> server_;  // only in rank 0
    std::mutex mutex_;                     // guards the following members
    StoreWire wire_;
    bool is_broken_ = false;  // The wire is out of step.
};

}  // namespace

c10::intrusive_ptr<c10d::Store> open_rank_store(const StorePlace& place, bool is_host,
                                                milliseconds limit) {
    auto server = is_host ? std::make_unique<StoreServer>(place) : nullptr;
    return c10::make_intrusive<RankStore>(place, std::move(server), limit);
}

}  // namespace ptp::engine
