#include "engine/distributed/rank_store.hpp"

#include "engine/distributed/store_server.hpp"

#include <fmt/core.h>
#include <netdb.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

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
using Clock = std::chrono::steady_clock;

constexpr milliseconds kRetry{50};
constexpr milliseconds kGreeting{5000};
constexpr milliseconds kAnswer{10000};  // in addition to its wait

// The process does not belong to the training: retries are useless.
class Refused : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses addresses_of(const StorePlace& place) {
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const std::string port = std::to_string(place.port);
    if (const int error = getaddrinfo(place.address.c_str(), port.c_str(), &wanted, &found);
        error != 0) {
        throw std::runtime_error(fmt::format("{}: {}", place.address, gai_strerror(error)));
    }
    return {found, freeaddrinfo};
}

Descriptor connected(const addrinfo& where) {
    Descriptor socket(::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const bool is_connected =
        socket.is_open() && connect(socket.get(), where.ai_addr, where.ai_addrlen) == 0;
    return is_connected ? std::move(socket) : Descriptor();
}

StoreWire introduced(Descriptor socket, const StorePlace& place) {
    StoreWire wire(std::move(socket));
    wire.set_patience(kGreeting);
    const std::string own = new_nonce();
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
            const Addresses addresses = addresses_of(place);
            for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
                Descriptor socket = connected(*one);
                if (socket.is_open()) {
                    return introduced(std::move(socket), place);
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
        const std::lock_guard<std::mutex> lock(mutex_);
        wire_.set_patience(waits + kAnswer);
        wire_.send_number(static_cast<std::uint32_t>(words.size()));
        for (const std::string& word : words) {
            wire_.send_word(word);
        }
        return wire_.receive_word();
    }

    const StorePlace place_;
    std::unique_ptr<StoreServer> server_;  // only in rank 0
    std::mutex mutex_;                     // guards the following members
    StoreWire wire_;
};

}  // namespace

c10::intrusive_ptr<c10d::Store> open_rank_store(const StorePlace& place, bool is_host,
                                                milliseconds limit) {
    auto server = is_host ? std::make_unique<StoreServer>(place.address, place.port, place.secret,
                                                          static_cast<std::uint32_t>(place.ranks))
                          : nullptr;
    return c10::make_intrusive<RankStore>(place, std::move(server), limit);
}

}  // namespace ptp::engine
