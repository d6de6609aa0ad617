// The server of the store: coroutines of Boost.Asio on one thread, one for each connection.

#include "engine/distributed/store_server.hpp"

#include "base/sha256.hpp"
#include "base/signals.hpp"
#include "distributed/secret.hpp"
#include "engine/distributed/network.hpp"
#include "engine/distributed/rank_store.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::redirect_error;
using asio::use_awaitable;
using boost::system::error_code;
using boost::system::system_error;
using Tcp = asio::ip::tcp;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxStoredBytes = std::size_t{1} << 28U;
constexpr std::size_t kMaxStrangers = 64;  // not yet authenticated, at a time
constexpr std::chrono::seconds kIntroduction{5};
constexpr std::chrono::milliseconds kPause{50};  // if no descriptor is left for a connection

// Closes it in programs that this process starts.
void keep_from_programs(auto& socket) {
    static_cast<void>(fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC));
}

Tcp::acceptor listen_at(asio::io_context& context, const Tcp::endpoint& address) {
    Tcp::acceptor acceptor(context, address.protocol());
    keep_from_programs(acceptor);
    acceptor.set_option(Tcp::acceptor::reuse_address(true));
    if (address.protocol() == Tcp::v6()) {
        acceptor.set_option(asio::ip::v6_only(false));
    }
    acceptor.bind(address);
    acceptor.listen();
    return acceptor;
}

// Listens at the first of these addresses that works; throws the error of the last one.
Tcp::acceptor listen_at_one(asio::io_context& context, const std::vector<Tcp::endpoint>& all) {
    for (std::size_t i = 0;; ++i) {
        try {
            return listen_at(context, all.at(i));
        } catch (const system_error&) {
            if (i + 1 == all.size()) {
                throw;
            }
        }
    }
}

Tcp::acceptor listening(asio::io_context& context, const distributed::Place& place) {
    std::vector<Tcp::endpoint> own;
    Tcp::resolver resolver(context);
    for (const auto& found : resolver.resolve(place.address, std::to_string(place.port))) {
        own.push_back(found.endpoint());
    }
    try {
        Tcp::acceptor acceptor = listen_at_one(context, own);
        const auto address = acceptor.local_endpoint().address();
        if (place.is_one_host() || !is_name_of_loopback(place.address, address)) {
            return acceptor;
        }
    } catch (const system_error& error) {
        // An address that others know this host by need not be one of its own.
        if (error.code() != boost::system::errc::address_not_available) {
            throw;
        }
    }
    return listen_at_one(context, {{Tcp::v6(), place.port}, {Tcp::v4(), place.port}});
}

awaitable<std::string> receive(Tcp::socket& socket, std::size_t size) {
    std::string bytes(size, '\0');
    co_await asio::async_read(socket, asio::buffer(bytes), use_awaitable);
    co_return bytes;
}

awaitable<std::uint32_t> receive_number(Tcp::socket& socket) {
    const std::string bytes = co_await receive(socket, kNumberBytes);
    co_return number_from(bytes);
}

awaitable<void> send(Tcp::socket& socket, std::string bytes) {
    co_await asio::async_write(socket, asio::buffer(bytes), use_awaitable);
}

awaitable<std::vector<std::string>> receive_request(Tcp::socket& socket) {
    const std::uint32_t count = co_await receive_number(socket);
    if (count == 0 || count > kMaxRequestWords) {
        throw std::runtime_error("not a request");
    }
    std::vector<std::string> words;
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t size = co_await receive_number(socket);
        bytes += size;
        if (bytes > kMaxRequestBytes) {
            throw std::runtime_error("too long a request");
        }
        std::string word = co_await receive(socket, size);
        words.push_back(std::move(word));
    }
    co_return words;
}

}  // namespace

std::string bytes_of_number(std::uint32_t number) {
    std::string bytes(kNumberBytes, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(number >> (8 * i));
    }
    return bytes;
}

std::uint32_t number_from(std::string_view bytes) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return number;
}

std::string bytes_of_word(std::string_view word) {
    return bytes_of_number(static_cast<std::uint32_t>(word.size())).append(word);
}

std::string proof_of(std::string_view role, const std::string& secret, const std::string& nonces) {
    return sha256(fmt::format("ptp store 1\n{}\n{}\n{}\n{}", role, secret, nonces, secret));
}

class StoreServer::Service {
public:
    explicit Service(const distributed::Place& place)
        : secret_(place.secret), ranks_(static_cast<std::uint32_t>(place.size)) {
        asio::co_spawn(context_, accept_all(listening(context_, place)), asio::detached);
    }

    void run() { context_.run(); }
    void stop() { context_.stop(); }  // [any]

private:
    awaitable<void> accept_all(Tcp::acceptor acceptor) {
        asio::steady_timer pause(context_);
        for (;;) {
            error_code error;
            Tcp::socket client =
                co_await acceptor.async_accept(redirect_error(use_awaitable, error));
            if (error) {
                pause.expires_after(kPause);
                co_await pause.async_wait(use_awaitable);
            } else if (strangers_ < kMaxStrangers) {
                ++strangers_;
                asio::co_spawn(context_, serve(std::move(client)), asio::detached);
            }
        }
    }

    // Ends by an exception when the rank has ended.
    awaitable<void> serve(Tcp::socket client) {
        const auto socket = std::make_shared<Tcp::socket>(std::move(client));
        keep_from_programs(*socket);
        asio::steady_timer introduction(context_, kIntroduction);
        introduction.async_wait([socket](error_code is_cancelled) {
            if (!is_cancelled) {
                error_code ignored;
                socket->close(ignored);
            }
        });
        bool is_known = false;
        try {
            is_known = co_await introduce(*socket);
        } catch (const std::exception&) {  // a stranger, or a rank that has ended
            is_known = false;
        }
        introduction.cancel();
        --strangers_;
        while (is_known) {
            std::vector<std::string> words = co_await receive_request(*socket);
            const std::string reply = co_await answer(std::move(words));
            co_await send(*socket, bytes_of_word(reply));
        }
    }

    // Disables Nagle's algorithm, too: each short answer would wait for an acknowledgment.
    awaitable<bool> introduce(Tcp::socket& socket) const {
        socket.set_option(Tcp::no_delay(true));
        std::string nonces = distributed::random_bytes(kNonceBytes);
        co_await send(socket, nonces);
        nonces += co_await receive(socket, kNonceBytes);
        const std::uint32_t ranks = co_await receive_number(socket);
        const std::string proof = co_await receive(socket, kProofBytes);
        std::string reply = "+" + proof_of("store", secret_, nonces);
        if (proof != proof_of("rank", secret_, nonces)) {
            reply =
                "-it has another secret than rank 0; set PTP_SECRET to the same text in all "
                "processes";
        } else if (ranks != ranks_) {
            reply = fmt::format("-it is one of {} ranks, rank 0 is one of {}", ranks, ranks_);
        }
        co_await send(socket, bytes_of_word(reply));
        co_return reply.front() == '+';
    }

    awaitable<std::string> answer(std::vector<std::string> words) {
        const std::string what = words.front();
        words.erase(words.begin());
        if (what != kStoreWait) {
            co_return changed(what, words);
        }
        const auto end = SteadyClock::now() + std::chrono::milliseconds(std::stoll(words.at(0)));
        words.erase(words.begin());
        while (!has_all(words) && SteadyClock::now() < end) {
            const auto timer = std::make_shared<asio::steady_timer>(context_, end);
            waiting_.push_back(timer);
            error_code is_cancelled;
            co_await timer->async_wait(redirect_error(use_awaitable, is_cancelled));
        }
        co_return has_all(words) ? "+" : "-";
    }

    [[nodiscard]] bool has_all(const std::vector<std::string>& keys) const {
        return std::ranges::all_of(
            keys, [this](const std::string& key) { return values_.contains(key); });
    }

    std::string changed(const std::string& what, const std::vector<std::string>& words) {
        if (what == kStoreCheck) {
            return has_all(words) ? "+" : "-";
        }
        if (what == kStoreCount) {
            return std::to_string(values_.size());
        }
        const std::string& key = words.at(0);
        const auto found = values_.find(key);
        const bool is_there = found != values_.end();
        if (what == kStoreGet) {
            return is_there ? "+" + found->second : "-";
        }
        if (what == kStoreSet) {
            put(key, words.at(1));
            return "+";
        }
        if (what == kStoreCompareSet) {
            const std::string old = is_there ? found->second : "";
            return old == words.at(1) ? put(key, words.at(2)) : is_there ? old : words.at(1);
        }
        if (what == kStoreAdd) {
            const std::int64_t old = is_there ? std::stoll(found->second) : 0;
            return put(key, std::to_string(old + std::stoll(words.at(1))));
        }
        if (what == kStoreDelete && is_there) {
            stored_bytes_ -= key.size() + found->second.size();
            values_.erase(found);
        } else if (what != kStoreDelete) {
            throw std::runtime_error("not a request");
        }
        return is_there ? "+" : "-";
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
        for (const std::weak_ptr<asio::steady_timer>& each : std::exchange(waiting_, {})) {
            if (const auto timer = each.lock()) {
                timer->cancel();
            }
        }
        return value;
    }

    const std::string secret_;
    const std::uint32_t ranks_;
    std::map<std::string, std::string> values_;
    std::size_t stored_bytes_ = 0;  // of keys and values
    std::size_t strangers_ = 0;
    std::vector<std::weak_ptr<asio::steady_timer>> waiting_;  // of requests for absent values
    asio::io_context context_;  // its end, before that of the other members, ends all coroutines
};

StoreServer::StoreServer(const distributed::Place& place) try
    : service_(std::make_unique<Service>(place)) {
    const NoSignals inherited;
    thread_ = std::thread([this] { service_->run(); });
} catch (const system_error& error) {
    throw CannotListen(error.code().message());
}

StoreServer::~StoreServer() {
    service_->stop();
    thread_.join();
}

}  // namespace ptp::engine
