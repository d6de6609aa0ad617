// The client of the store: one request and one answer at a time over one connection.

#include "engine/distributed/rank_store.hpp"

#include "distributed/secret.hpp"
#include "engine/distributed/store_server.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace ptp::engine {

namespace {

using std::chrono::milliseconds;
using Tcp = boost::asio::ip::tcp;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kRetry{50};
constexpr milliseconds kTry{5000};  // at one address
constexpr milliseconds kReconnecting{1000};
constexpr milliseconds kAnswer{10000};   // beyond what it waits for
constexpr milliseconds kPatience{1000};  // of put() and read()

// The process does not belong to the training: retries are useless.
class Refused : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One end of a connection. Throws std::runtime_error with the system's reason.
class StoreConnection {
public:
    // Everything, however little comes at a time, must be done by the deadline.
    StoreConnection(const Tcp::endpoint& address, const distributed::Place& place,
                    SteadyClock::time_point deadline) {
        stream_.expires_at(deadline);
        stream_.connect(address);
        if (!stream_) {
            throw std::runtime_error(stream_.error().message());
        }
        static_cast<void>(fcntl(stream_.socket().native_handle(), F_SETFD, FD_CLOEXEC));
        stream_.socket().set_option(Tcp::no_delay(true));
        introduce(place);
    }

    // Returns the address of the other end, in digits.
    std::string address() { return stream_.socket().remote_endpoint().address().to_string(); }

    std::string ask(const std::vector<std::string>& words, SteadyClock::time_point deadline) {
        stream_.expires_at(deadline);
        stream_ << bytes_of_number(static_cast<std::uint32_t>(words.size()));
        for (const std::string& word : words) {
            stream_ << bytes_of_word(word);
        }
        return receive_word();
    }

private:
    void introduce(const distributed::Place& place) {
        const std::string own = distributed::random_bytes(kNonceBytes);
        const std::string nonces = receive(kNonceBytes) + own;
        stream_ << own << bytes_of_number(static_cast<std::uint32_t>(place.size))
                << proof_of("rank", place.secret, nonces);
        const std::string reply = receive_word();
        if (reply != "+" + proof_of("store", place.secret, nonces)) {
            throw Refused(reply.starts_with('-')
                              ? "rank 0 refuses this process: " + reply.substr(1)
                              : "who answers there does not know the secret of the training");
        }
    }

    // Sends what is written first.
    std::string receive(std::size_t size) {
        std::string bytes(size, '\0');
        if (stream_.flush() && stream_.read(bytes.data(), static_cast<std::streamsize>(size))) {
            return bytes;
        }
        throw std::runtime_error(stream_.error() == boost::asio::error::eof
                                     ? "the store has closed the connection"
                                     : "the store does not answer: " + stream_.error().message());
    }

    std::string receive_word() {
        const std::uint32_t size = number_from(receive(kNumberBytes));
        if (size > kMaxRequestBytes) {
            throw std::runtime_error("the store has sent too long a text");
        }
        return receive(size);
    }

    Tcp::iostream stream_;
};

// Tries all addresses until the deadline.
std::unique_ptr<StoreConnection> connected(const distributed::Place& place,
                                           SteadyClock::time_point deadline) {
    for (;;) {
        std::string problem;
        try {
            boost::asio::io_context context;
            Tcp::resolver resolver(context);
            for (const auto& found : resolver.resolve(place.address, std::to_string(place.port))) {
                try {
                    return std::make_unique<StoreConnection>(
                        found.endpoint(), place, std::min(deadline, SteadyClock::now() + kTry));
                } catch (const Refused&) {
                    throw;
                } catch (const std::runtime_error& error) {
                    problem = error.what();
                }
            }
        } catch (const boost::system::system_error& error) {
            problem = error.code().message();
        }
        if (SteadyClock::now() + kRetry > deadline) {
            throw std::runtime_error(problem);
        }
        std::this_thread::sleep_for(kRetry);
    }
}

class ConnectedStore final : public RankStore {
public:
    using Bytes = std::vector<std::uint8_t>;
    using Words = std::vector<std::string>;
    using Time = SteadyClock::time_point;

    ConnectedStore(distributed::Place place, std::shared_ptr<StoreServer> server,
                   milliseconds limit)
        : RankStore(limit), place_(std::move(place)), server_(std::move(server)) {}

    // Needs no name of the host for later connections.
    void connect() {
        connection_ = connected(place_, SteadyClock::now() + timeout_);
        place_.address = connection_->address();
    }

    c10::intrusive_ptr<RankStore> another() const override {
        return c10::make_intrusive<ConnectedStore>(place_, server_, timeout_);
    }
    // Overrides a function of newer versions; older ones do not have it.
    c10::intrusive_ptr<c10d::Store> clone() { return another(); }

    void set(const std::string& key, const Bytes& value) override {
        ask({kStoreSet, key, text_of(value)});
    }
    Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& value) override {
        return bytes_of(ask({kStoreCompareSet, key, text_of(expected), text_of(value)}));
    }
    Bytes get(const std::string& key) override {
        wait({key});
        const std::string found = ask({kStoreGet, key});
        if (!found.starts_with('+')) {
            throw std::runtime_error(fmt::format("the store has lost '{}'", key));
        }
        return bytes_of(found.substr(1));
    }
    std::int64_t add(const std::string& key, std::int64_t value) override {
        return std::stoll(ask({kStoreAdd, key, std::to_string(value)}));
    }
    bool deleteKey(const std::string& key) override { return ask({kStoreDelete, key}) == "+"; }
    bool check(const Words& keys) override { return ask(with_keys({kStoreCheck}, keys)) == "+"; }
    std::int64_t getNumKeys() override { return std::stoll(ask({kStoreCount})); }
    void wait(const Words& keys) override { wait(keys, timeout_); }
    void wait(const Words& keys, const milliseconds& limit) override {
        const Words words = with_keys({kStoreWait, std::to_string(limit.count())}, keys);
        if (ask(words, limit) != "+") {
            throw std::runtime_error(fmt::format("no rank has put '{}' into the store within {} ms",
                                                 keys.empty() ? "" : keys.front(), limit.count()));
        }
    }

    bool put(const std::string& key, const std::string& text) override try {
        const Time end = SteadyClock::now() + kPatience;
        ask({kStoreSet, key, text}, end, end);
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }

    std::optional<Texts> read(const Words& keys, milliseconds wait) override try {
        const Time end = SteadyClock::now() + kPatience;
        if (wait.count() > 0) {
            ask(with_keys({kStoreWait, std::to_string(wait.count())}, keys), end, end + wait);
        }
        Texts texts;
        for (const std::string& key : keys) {
            const std::string found = ask({kStoreGet, key}, end, SteadyClock::now() + kPatience);
            texts.push_back(found.starts_with('+') ? std::optional(found.substr(1)) : std::nullopt);
        }
        return texts;
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }

private:
    static std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }
    static Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }
    static Words with_keys(Words words, const Words& keys) {
        words.insert(words.end(), keys.begin(), keys.end());
        return words;
    }

    std::string ask(const Words& words, milliseconds waits = {}) {
        const Time now = SteadyClock::now();
        return ask(words, now + kReconnecting, now + waits + kAnswer);
    }

    std::string ask(const Words& words, Time connected_until, Time answered_until) {
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
        // If it fails, its answer may come yet, and would be taken for that of another request.
        auto connection = std::exchange(connection_, nullptr);
        if (connection == nullptr) {
            connection = connected(place_, connected_until);
        }
        std::string answer = connection->ask(words, answered_until);
        connection_ = std::move(connection);
        return answer;
    }

    distributed::Place place_;
    std::shared_ptr<StoreServer> server_;          // only in rank 0
    std::mutex mutex_;                             // guards the connection
    std::unique_ptr<StoreConnection> connection_;  // nullptr: not made yet, or out of step
};

}  // namespace

c10::intrusive_ptr<RankStore> RankStore::open(distributed::Place place, bool is_host,
                                              milliseconds limit) {
    if (place.secret.empty()) {
        place.secret = distributed::secret_of_user();
    }
    auto server = is_host ? std::make_shared<StoreServer>(place) : nullptr;
    auto store = c10::make_intrusive<ConnectedStore>(std::move(place), std::move(server), limit);
    store->connect();
    return store;
}

}  // namespace ptp::engine
