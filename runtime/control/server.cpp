// Takes requests from clients of a run, and sends them replies. Its thread runs one io_context of
// Boost.Asio, with a coroutine for each client; all of Service runs on it, except functions marked
// [main] or [any].

#include "control/server.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/signals.hpp"
#include "control/socket.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>

namespace ptp::control {

namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::redirect_error;
using asio::use_awaitable;
using boost::system::error_code;
using Protocol = asio::local::stream_protocol;

constexpr std::size_t kMaxClients = 64;
constexpr std::size_t kMaxSkipped = 64 * kMaxLineLength;  // per client, in lines that are too long
constexpr std::chrono::milliseconds kRetry(100);

// Sends as much of a reply as it can without waiting.
void send_at_once(int socket, const Reply& reply) {
    const std::string line = line_of(reply) + '\n';
    (void)::send(socket, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

using ClientId = std::uint64_t;

}  // namespace

// A client, which has one pending request at a time; further lines wait, eventually in the socket.
struct Connection {
    Connection(ClientId number, asio::io_context& context, Descriptor client)
        : id(number), socket(context, Protocol(), client.get()) {
        (void)client.release();
    }

    const ClientId id;
    Protocol::socket socket;
    std::string input;
    bool is_waiting = false;  // for the reply
    std::optional<Reply> reply;
};

class Service {
public:
    explicit Service(const std::filesystem::path& folder)
        : posted_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          listener_(folder),
          listening_(context_, listener_.descriptor()) {
        if (!posted_.is_open()) {
            throw std::system_error(errno, std::generic_category());
        }
        asio::co_spawn(context_, accept_all(), asio::detached);
    }
    ~Service() { listening_.release(); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Runs until stop(). A reply for which there is no memory is lost.
    void run() {
        while (!context_.stopped()) {
            try {
                context_.run();
            } catch (const std::exception&) {
                continue;
            }
        }
    }

    // [any]
    void stop() {
        asio::post(context_, [this] {
            for (const auto& [id, connection] : connections_) {
                withdraw(id);
                if (connection->is_waiting) {
                    send_at_once(connection->socket.native_handle(),
                                 Reply::failure("the run has ended"));
                }
            }
            context_.stop();
        });
    }

    // [any]
    void reply(ClientId client, const Reply& reply) {
        asio::post(context_, [this, client, reply] {
            if (const auto found = connections_.find(client); found != connections_.end()) {
                found->second->reply = reply;
                found->second->socket.cancel();
            }
        });
    }

    // A request that the training has not taken yet.
    struct Letter {
        ClientId client = 0;
        Request request;
    };

    // [main] Takes one relaxed atomic load.
    [[nodiscard]] bool has_letters() const { return has_letters_.load(std::memory_order_relaxed); }

    // [main] Removes and returns the oldest letter.
    std::optional<Letter> next() {
        if (!has_letters()) {
            return std::nullopt;
        }
        const std::lock_guard lock(mutex_);
        if (letters_.empty()) {
            return std::nullopt;
        }
        std::optional<Letter> letter = std::move(letters_.front());
        letters_.pop_front();
        letters_changed();
        return letter;
    }

    // [main] Waits for a letter.
    void wait(std::chrono::milliseconds limit) const {
        pollfd waited{.fd = posted_.get(), .events = POLLIN, .revents = 0};
        (void)poll(&waited, 1, static_cast<int>(limit.count()));
    }

private:
    awaitable<void> accept_all() {
        asio::steady_timer retry(context_);
        for (;;) {
            co_await listening_.async_wait(asio::posix::stream_descriptor::wait_read,
                                           use_awaitable);
            Descriptor client = listener_.accept();
            const bool is_full = !client.is_open() && (errno == EMFILE || errno == ENFILE ||
                                                       errno == ENOMEM || errno == ENOBUFS);
            if (is_full) {
                retry.expires_after(kRetry);
                co_await retry.async_wait(use_awaitable);
            } else if (client.is_open()) {
                take(std::move(client));
            }
        }
    }

    void take(Descriptor client) try {
        if (!may_control(client)) {
            send_at_once(client.get(), Reply::failure("only the owner of the run may control it"));
        } else if (connections_.size() >= kMaxClients) {
            send_at_once(client.get(), Reply::failure("too many clients control this run already"));
        } else {
            const ClientId id = next_id_++;
            const auto made = std::make_shared<Connection>(id, context_, std::move(client));
            asio::co_spawn(context_, serve(made), asio::detached);
            connections_.emplace(id, made);
        }
    } catch (const std::exception&) {  // There is no memory for it.
        return;
    }

    awaitable<void> serve(std::shared_ptr<Connection> connection) {
        try {
            co_await talk(*connection);
        } catch (const std::exception&) {  // It has gone, or there is no memory for its request.
            error_code ignored;
            connection->socket.close(ignored);
        }
        withdraw(connection->id);
        connections_.erase(connection->id);
    }

    awaitable<void> talk(Connection& connection) {
        std::size_t skipped = 0;
        bool is_skipping = false;  // a line that is too long, which is answered before its end
        for (bool has_ended = false; !has_ended;) {
            std::string& input = connection.input;
            error_code error;
            const std::size_t size = co_await asio::async_read_until(
                connection.socket, asio::dynamic_buffer(input, kMaxLineLength + 1), '\n',
                redirect_error(use_awaitable, error));
            if (error == asio::error::not_found) {
                skipped += std::exchange(input, {}).size();
                if (skipped > kMaxSkipped) {
                    co_return;
                }
                if (!std::exchange(is_skipping, true)) {
                    co_await send(connection,
                                  Reply::failure(fmt::format("the request is longer than {} bytes",
                                                             kMaxLineLength)));
                }
                continue;
            }
            // A client that sends no more may still read.
            has_ended = error == asio::error::eof && !input.empty() && !is_skipping;
            if (error && !has_ended) {
                co_return;
            }
            const std::string line = input.substr(0, has_ended ? input.size() : size - 1);
            input.erase(0, has_ended ? input.size() : size);
            if (!std::exchange(is_skipping, false)) {
                const Reply reply = co_await reply_to(line, connection);
                co_await send(connection, reply);
            }
        }
    }

    // Ends by an exception if the connection breaks meanwhile.
    awaitable<Reply> reply_to(const std::string& line, Connection& connection) {
        try {
            post({connection.id, read_request(line)});
        } catch (const ProtocolError& error) {
            co_return Reply::failure(error.what());
        }
        connection.is_waiting = true;
        // Waits for a broken connection; reply() sets the reply and cancels the wait. Further
        // input, such as the end of the client's data, does not end it.
        error_code is_cancelled;
        co_await connection.socket.async_wait(Protocol::socket::wait_error,
                                              redirect_error(use_awaitable, is_cancelled));
        connection.is_waiting = false;
        co_return std::exchange(connection.reply, std::nullopt).value();
    }

    static awaitable<void> send(Connection& connection, const Reply& reply) {
        const std::string line = line_of(reply) + '\n';
        co_await asio::async_write(connection.socket, asio::buffer(line), use_awaitable);
    }

    void post(Letter letter) {
        const std::lock_guard lock(mutex_);
        letters_.push_back(std::move(letter));
        letters_changed();
    }

    // Removes the letter of a client, unless it has been taken.
    void withdraw(ClientId client) {
        const std::lock_guard lock(mutex_);
        std::erase_if(letters_, [&](const Letter& letter) { return letter.client == client; });
        letters_changed();
    }

    void letters_changed() {
        has_letters_.store(!letters_.empty(), std::memory_order_relaxed);
        eventfd_t count = 0;
        if (letters_.empty()) {
            (void)eventfd_read(posted_.get(), &count);  // fails if the count was 0 before
        } else {
            (void)eventfd_write(posted_.get(), 1);
        }
    }

    std::atomic<bool> has_letters_ = false;
    Descriptor posted_;  // readable while there are letters
    std::mutex mutex_;   // guards letters_, and changes to the two above
    std::deque<Letter> letters_;
    Listener listener_;
    asio::io_context context_;  // outlives the members below
    asio::posix::stream_descriptor listening_;
    std::map<ClientId, std::shared_ptr<Connection>> connections_;
    ClientId next_id_ = 1;
};

Pending::~Pending() {
    if (send_) {
        reply(Reply::failure("the run has not answered"));
    }
}

Server::Server(const std::filesystem::path& run_folder) {
    const auto fail = [&](const std::string& reason) {
        throw RunError(kTrainingError, fmt::format("cannot make {}: {}",
                                                   (run_folder / kSocketName).string(), reason));
    };
    try {
        service_ = std::make_shared<Service>(run_folder);
        const NoSignals no_signals;
        thread_ = std::thread([this] {
            pthread_setname_np(pthread_self(), "ptp-control");
            service_->run();
        });
    } catch (const boost::system::system_error& error) {
        fail(error.code().message());
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

Server::~Server() {
    service_->stop();
    thread_.join();
}

bool Server::has_requests() const {
    return service_->has_letters();
}

std::optional<Pending> Server::next() {
    std::optional<Service::Letter> letter = service_->next();
    if (!letter) {
        return std::nullopt;
    }
    const auto send = [service = std::weak_ptr(service_),
                       client = letter->client](const Reply& reply) {
        if (const std::shared_ptr<Service> living = service.lock()) {
            living->reply(client, reply);
        }
    };
    return std::optional<Pending>(std::in_place, std::move(letter->request), send);
}

void Server::wait(std::chrono::milliseconds limit) const {
    service_->wait(limit);
}

}  // namespace ptp::control
