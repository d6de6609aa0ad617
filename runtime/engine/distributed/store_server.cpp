// The server of the store, with a thread for each connection, and the wire that both ends use.

#include "engine/distributed/store_server.hpp"

#include "base/no_signals.hpp"
#include "base/sha256.hpp"
#include "distributed/secret.hpp"
#include "engine/distributed/network.hpp"

#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace ptp::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxStoredBytes = std::size_t{1} << 28U;
constexpr std::size_t kMaxStrangers = 64;  // not yet authenticated, at a time
constexpr std::chrono::seconds kIntroduction{5};
constexpr int kPauseMs = 50;  // before the next try if no descriptor is left for a connection

[[noreturn]] void fail(const std::string& what, int reason = errno) {
    throw std::runtime_error(fmt::format("{}: {}", what, std::generic_category().message(reason)));
}

// Returns a negative descriptor if it cannot listen at that address, with the reason in errno.
Descriptor listen_at(const addrinfo& where) {
    Descriptor socket(::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    const int no = 0;
    const bool is_listening =
        socket.is_open() &&
        setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
        (where.ai_family != AF_INET6 ||
         setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no)) == 0) &&
        bind(socket.get(), where.ai_addr, where.ai_addrlen) == 0 && listen(socket.get(), 128) == 0;
    return is_listening ? std::move(socket) : Descriptor();
}

// Listens at the first address of the name that works, or at all addresses if there is no name.
// Throws std::runtime_error.
Descriptor listen_at(const char* name, std::uint16_t port) {
    const Addresses all = addresses_of(name, port);
    Descriptor socket;
    for (const addrinfo* one = all.get(); one != nullptr && !socket.is_open(); one = one->ai_next) {
        socket = listen_at(*one);
    }
    return socket;
}

Descriptor listening(const StorePlace& place) try {
    Descriptor socket = listen_at(place.address.c_str(), place.port);
    // An address that others know this host by need not be one of its own.
    const bool is_for_others =
        socket.is_open()
            ? !place.is_one_host && is_name_of_loopback(place.address, own_address(socket))
            : errno == EADDRNOTAVAIL;
    if (is_for_others) {
        socket = Descriptor();
        socket = listen_at(nullptr, place.port);
    }
    if (!socket.is_open()) {
        throw CannotListen(std::generic_category().message(errno));
    }
    return socket;
} catch (const std::runtime_error& error) {
    throw CannotListen(error.what());
}

}  // namespace

// Disables Nagle's algorithm: requests are short, and written in parts, each of which would wait
// for the other end's delayed acknowledgement of the previous one.
StoreWire::StoreWire(Descriptor socket) : socket_(std::move(socket)) {
    const int yes = 1;
    static_cast<void>(setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)));
}

void StoreWire::await(short event) const {
    std::int64_t rest = -1;
    if (deadline_) {
        const auto time = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
        rest = std::clamp<std::int64_t>(time.count(), 0, INT_MAX);
    }
    pollfd waited{socket_.get(), event, 0};
    if (poll(&waited, 1, static_cast<int>(rest)) == 0) {
        fail("the store does not answer", ETIMEDOUT);
    }
}

void StoreWire::shut() const {
    static_cast<void>(shutdown(socket_.get(), SHUT_RDWR));
}

void StoreWire::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        await(POLLOUT);
        const ssize_t count =
            ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            fail("the store cannot be written to");
        }
        bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

std::string StoreWire::receive(std::size_t size) const {
    std::string bytes(size, '\0');
    for (std::size_t done = 0; done < size;) {
        await(POLLIN);
        const ssize_t count = recv(socket_.get(), bytes.data() + done, size - done, MSG_DONTWAIT);
        if (count == 0) {
            throw std::runtime_error("the store has closed the connection");
        }
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            fail("the store does not answer");
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return bytes;
}

void StoreWire::send_number(std::uint32_t number) const {
    std::array<char, 4> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(number >> (8 * i));
    }
    send({bytes.data(), bytes.size()});
}

std::uint32_t StoreWire::receive_number() const {
    const std::string bytes = receive(4);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return number;
}

void StoreWire::send_word(std::string_view word) const {
    send_number(static_cast<std::uint32_t>(word.size()));
    send(word);
}

std::string StoreWire::receive_word() const {
    const std::uint32_t size = receive_number();
    if (size > kMaxRequestBytes) {
        throw std::runtime_error("the store was sent too long a text");
    }
    return receive(size);
}

std::string proof_of(std::string_view role, const std::string& secret, const std::string& nonces) {
    return sha256(fmt::format("ptp store 1\n{}\n{}\n{}\n{}", role, secret, nonces, secret));
}

class StoreServer::Parts : public std::enable_shared_from_this<StoreServer::Parts> {
public:
    explicit Parts(const StorePlace& place)
        : listener_(listening(place)),
          stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          secret_(place.secret),
          ranks_(static_cast<std::uint32_t>(place.ranks)) {
        if (!stop_.is_open()) {
            fail("the store cannot be served");
        }
    }

    void accept_all() {
        for (;;) {
            std::array<pollfd, 2> waited = {pollfd{listener_.get(), POLLIN, 0},
                                            pollfd{stop_.get(), POLLIN, 0}};
            static_cast<void>(poll(waited.data(), waited.size(), -1));
            if (waited[1].revents != 0) {
                return;
            }
            Descriptor client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!client.is_open()) {
                static_cast<void>(poll(&waited[1], 1, kPauseMs));
                continue;
            }
            const std::lock_guard<std::mutex> lock(mutex_);
            if (strangers_ < kMaxStrangers) {
                take(std::make_shared<StoreWire>(std::move(client)));
            }
        }
    }

    void stop() {
        static_cast<void>(eventfd_write(stop_.get(), 1));
        if (acceptor_.joinable()) {
            acceptor_.join();
        }
        std::unique_lock<std::mutex> lock(mutex_);
        is_stopped_ = true;
        for (const auto& wire : wires_) {
            wire->shut();
        }
        changed_.notify_all();
        changed_.wait(lock, [&] { return wires_.empty(); });
    }

    void start() {
        acceptor_ = std::thread([this] { accept_all(); });
    }

private:
    // Called with the mutex held.
    void take(const std::shared_ptr<StoreWire>& wire) {
        wires_.insert(wire);
        ++strangers_;
        try {
            std::thread([self = shared_from_this(), wire] { self->serve(wire); }).detach();
        } catch (const std::system_error&) {  // no thread is available
            wires_.erase(wire);
            --strangers_;
        }
    }

    void serve(const std::shared_ptr<StoreWire>& wire) {
        bool is_known = false;
        try {
            wire->set_deadline(Clock::now() + kIntroduction);
            is_known = introduce(*wire);
        } catch (const std::exception&) {  // a stranger, or a rank that has ended
            is_known = false;
        }
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            --strangers_;
        }
        try {
            wire->set_deadline(std::nullopt);
            while (is_known) {
                wire->send_word(answer(*wire));
            }
        } catch (const std::exception&) {  // the rank has ended
            is_known = false;
        }
        wire->shut();
        const std::lock_guard<std::mutex> lock(mutex_);
        wires_.erase(wire);
        changed_.notify_all();
    }

    [[nodiscard]] bool introduce(const StoreWire& wire) const {
        const std::string nonce = distributed::random_bytes(kNonceBytes);
        wire.send(nonce);
        const std::string nonces = nonce + wire.receive(kNonceBytes);
        const std::uint32_t ranks = wire.receive_number();
        if (wire.receive(kProofBytes) != proof_of("rank", secret_, nonces)) {
            wire.send_word(
                "-it has another secret than rank 0; set PTP_SECRET to the same text in "
                "all processes");
            return false;
        }
        if (ranks != ranks_) {
            wire.send_word(
                fmt::format("-it is one of {} ranks, rank 0 is one of {}", ranks, ranks_));
            return false;
        }
        wire.send_word("+" + proof_of("store", secret_, nonces));
        return true;
    }

    std::string answer(const StoreWire& wire) {
        const std::uint32_t count = wire.receive_number();
        if (count == 0 || count > kMaxRequestWords) {
            throw std::runtime_error("not a request");
        }
        std::vector<std::string> words;
        std::size_t bytes = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            bytes += words.emplace_back(wire.receive_word()).size();
            if (bytes > kMaxRequestBytes) {
                throw std::runtime_error("too long a request");
            }
        }
        const std::string what = std::exchange(words.front(), "");
        words.erase(words.begin());
        std::unique_lock<std::mutex> lock(mutex_);
        if (what == kStoreWait && !words.empty()) {
            const auto limit = std::chrono::milliseconds(std::stoll(words.front()));
            words.erase(words.begin());
            changed_.wait_until(lock, Clock::now() + limit,
                                [&] { return is_stopped_ || has_all(words); });
            return has_all(words) ? "+" : "-";
        }
        return changed(what, words);
    }

    [[nodiscard]] bool has_all(const std::vector<std::string>& keys) const {
        for (const std::string& key : keys) {
            if (!values_.contains(key)) {
                return false;
            }
        }
        return true;
    }

    // Called with the mutex held.
    std::string changed(const std::string& what, const std::vector<std::string>& words) {
        if (what == kStoreCheck) {
            return has_all(words) ? "+" : "-";
        }
        if (what == kStoreCount) {
            return std::to_string(values_.size());
        }
        const std::string& key = words.at(0);
        if (what == kStoreGet) {
            const auto found = values_.find(key);
            return found == values_.end() ? "-" : "+" + found->second;
        }
        if (what == kStoreSet) {
            put(key, words.at(1));
            return "+";
        }
        if (what == kStoreCompareSet) {
            const auto found = values_.find(key);
            const bool is_as_expected =
                found == values_.end() ? words.at(1).empty() : found->second == words.at(1);
            return is_as_expected           ? put(key, words.at(2))
                   : found == values_.end() ? words.at(1)
                                            : found->second;
        }
        if (what == kStoreAdd) {
            const auto found = values_.find(key);
            const std::int64_t old = found == values_.end() ? 0 : std::stoll(found->second);
            return put(key, std::to_string(old + std::stoll(words.at(1))));
        }
        if (what == kStoreDelete) {
            const auto found = values_.find(key);
            if (found == values_.end()) {
                return "-";
            }
            stored_bytes_ -= key.size() + found->second.size();
            values_.erase(found);
            return "+";
        }
        throw std::runtime_error("not a request");
    }

    std::string put(const std::string& key, const std::string& value) {
        const auto found = values_.find(key);
        const std::size_t old = found == values_.end() ? 0 : key.size() + found->second.size();
        const std::size_t bytes = stored_bytes_ - old + key.size() + value.size();
        if (bytes > kMaxStoredBytes) {
            throw std::runtime_error("the store is full");
        }
        values_[key] = value;
        stored_bytes_ = bytes;
        changed_.notify_all();
        return value;
    }

    const Descriptor listener_;
    const Descriptor stop_;
    const std::string secret_;
    const std::uint32_t ranks_;
    std::thread acceptor_;
    std::mutex mutex_;  // guards the following members
    std::condition_variable changed_;
    std::map<std::string, std::string> values_;
    std::size_t stored_bytes_ = 0;                // of keys and values
    std::set<std::shared_ptr<StoreWire>> wires_;  // each with a thread
    std::size_t strangers_ = 0;
    bool is_stopped_ = false;
};

StoreServer::StoreServer(const StorePlace& place) : parts_(std::make_shared<Parts>(place)) {
    const NoSignals inherited;
    parts_->start();
}

StoreServer::~StoreServer() {
    parts_->stop();
}

}  // namespace ptp::engine
