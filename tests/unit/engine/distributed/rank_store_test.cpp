// The store of the ranks, over the loopback interface alone.

#include "engine/distributed/rank_store.hpp"

#include "base/descriptor.hpp"
#include "distributed/held_port.hpp"
#include "support/texts.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace rank_store_test {

using ptp::Descriptor;
using ptp::distributed::HeldPort;
using ptp::distributed::Place;
using ptp::engine::RankStore;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Bytes = std::vector<std::uint8_t>;

namespace {

Place place_at(const HeldPort& port) {
    Place place;
    place.size = place.local_size = 2;
    place.address = "127.0.0.1";
    place.port = port.number();
    place.secret = "ours";
    return place;
}

std::string refusal(const Place& place, milliseconds limit = seconds(5), bool is_host = false) {
    return ptp::test::error_of<std::exception>([&] { RankStore::open(place, is_host, limit); });
}

Descriptor stranger(std::uint16_t port) {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
            0);
    return socket;
}

// The local addresses at which a socket listens at this port, in the digits of /proc/net.
std::vector<std::string> listened_at(std::uint16_t port) {
    std::vector<std::string> addresses;
    for (const char* const file : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        std::ifstream lines(file);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string number;
            std::string local;
            std::string remote;
            std::string state;
            words >> number >> local >> remote >> state;
            const std::size_t colon = local.find(':');
            if (state == "0A" && std::stoul(local.substr(colon + 1), nullptr, 16) == port) {
                addresses.push_back(local.substr(0, colon));
            }
        }
    }
    return addresses;
}

}  // namespace

TEST_CASE("rank store: what one rank puts into it all can read") {
    const HeldPort port;
    const auto first = RankStore::open(place_at(port), true, seconds(10));
    const auto second = RankStore::open(place_at(port), false, seconds(10));
    first->set("a", Bytes{1, 0, 255});
    CHECK(second->get("a") == Bytes{1, 0, 255});
    CHECK(second->add("n", 3) == 3);
    CHECK(first->add("n", 4) == 7);
    CHECK(first->check({"a", "n"}));
    CHECK_FALSE(first->check({"a", "b"}));
    CHECK(first->getNumKeys() == 2);
    CHECK(second->compareSet("a", Bytes{2}, Bytes{3}) == Bytes{1, 0, 255});
    CHECK(second->compareSet("a", Bytes{1, 0, 255}, Bytes{3}) == Bytes{3});
    CHECK(first->deleteKey("a"));
    CHECK_FALSE(first->deleteKey("a"));
}

TEST_CASE("rank store: who waits for a text gets it when it comes, or ends when the time is over") {
    const HeldPort port;
    const auto first = RankStore::open(place_at(port), true, seconds(10));
    const auto second = RankStore::open(place_at(port), false, seconds(10));
    std::thread later([&] { first->set("late", Bytes{5}); });
    CHECK(second->get("late") == Bytes{5});
    later.join();
    CHECK_THROWS_WITH(second->wait({"never"}, milliseconds(10)),
                      "no rank has put 'never' into the store within 10 ms");
    CHECK(second->check({"late"}));
}

TEST_CASE("rank store: short texts are put and read without errors, and waited for") {
    const HeldPort port;
    auto first = RankStore::open(place_at(port), true, seconds(10));
    const auto second = RankStore::open(place_at(port), false, seconds(10))->another();
    CHECK(second->put("a", "text"));
    CHECK((second->read({"a", "b"}) == RankStore::Texts{"text", std::nullopt}));
    std::thread later([&] { first->put("b", ""); });
    CHECK((second->read({"a", "b"}, seconds(10)) == RankStore::Texts{"text", ""}));
    later.join();
    CHECK((second->read({"c"}, milliseconds(10)) == RankStore::Texts{std::nullopt}));
    first.reset();  // the store ends with it
    CHECK_FALSE(second->read({"a"}));
    CHECK_FALSE(second->put("a", "text"));
}

TEST_CASE("rank store: it listens at its address alone") {
    const HeldPort port;
    const auto store = RankStore::open(place_at(port), true, seconds(10));
    CHECK(listened_at(port.number()) == std::vector<std::string>{"0100007F"});
}

TEST_CASE("rank store: an answer that comes too late is not that of the next request") {
    const HeldPort port;
    const auto first = RankStore::open(place_at(port), true, seconds(10));
    const auto second = RankStore::open(place_at(port), false, seconds(10));
    first->set("here", Bytes{1});
    // The time for the answer is over before it can come: a client waits 10 s beyond the limit.
    CHECK_THROWS(second->wait({"never"}, -seconds(10)));
    CHECK(second->check({"here"}));
    CHECK(second->get("here") == Bytes{1});
}

TEST_CASE("rank store: after a request that has closed the connection there is another one") {
    const HeldPort port;
    const auto first = RankStore::open(place_at(port), true, seconds(10));
    const auto second = RankStore::open(place_at(port), false, seconds(10));
    first->set("text", Bytes{'a'});
    CHECK_THROWS_WITH(second->add("text", 1), "the store has closed the connection");
    CHECK(second->add("number", 1) == 1);
}

TEST_CASE("rank store: an end that sends a byte at a time has no more time than another one") {
    const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    REQUIRE(listen(listener.get(), 1) == 0);
    std::thread slow([&] {  // a nonce, and an endless word
        const Descriptor other(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
        const std::string begin = std::string(32, 'n') + std::string("\0\0\x10\0", 4);
        for (std::size_t sent = 0;
             send(other.get(), sent < begin.size() ? &begin[sent] : "a", 1, MSG_NOSIGNAL) == 1;) {
            ++sent;
        }
    });
    const HeldPort unused;
    Place place = place_at(unused);
    place.port = ntohs(address.sin_port);
    CHECK(refusal(place, milliseconds(50)) == "the store does not answer: Connection timed out");
    slow.join();
}

TEST_CASE("rank store: a host that takes no connection is given up when the time is over") {
    const HeldPort unused;
    const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    REQUIRE(listen(listener.get(), 0) == 0);
    std::vector<Descriptor> waiting;  // for somebody who accepts them, until there is no more room
    for (int i = 0; i < 4; ++i) {
        waiting.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        static_cast<void>(
            connect(waiting.back().get(), reinterpret_cast<sockaddr*>(&address), size));
    }
    Place place = place_at(unused);
    place.port = ntohs(address.sin_port);
    CHECK(refusal(place, milliseconds(100)).ends_with("Connection timed out"));
}

TEST_CASE("rank store: values up to a limit come back whole, and longer ones change nothing") {
    const HeldPort port;
    const auto store = RankStore::open(place_at(port), true, seconds(10));
    const Bytes longest((std::size_t{1} << 20U) - 4, 7);  // with the words "set" and "a"
    store->set("a", longest);
    CHECK(store->get("a") == longest);
    Bytes longer = longest;
    longer.push_back(7);
    CHECK_THROWS_WITH(store->set("a", longer),
                      "a request of 3 words and 1048577 bytes is too long for the store");
    CHECK(store->get("a") == longest);
}

TEST_CASE("rank store: what is deleted makes room in it") {
    const HeldPort port;
    const auto store = RankStore::open(place_at(port), true, seconds(10));
    const Bytes large(std::size_t{1000} * 1000, 7);
    for (int i = 0; i < 270; ++i) {  // 270 MB; it has room for 268
        store->set("a", large);
        REQUIRE(store->deleteKey("a"));
    }
    CHECK(store->getNumKeys() == 0);
}

TEST_CASE("rank store: a name of the loopback interface is one of another interface elsewhere") {
    // Like a name in /etc/hosts, this is not the address itself.
    for (const bool is_one_host : {true, false}) {
        const HeldPort port;
        Place place = place_at(port);
        place.address = "127.1";
        place.local_size = is_one_host ? 2 : 1;
        const auto store = RankStore::open(place, true, seconds(10));
        const std::vector<std::string> at = listened_at(port.number());
        REQUIRE(at.size() == 1);
        CHECK((at[0] == "0100007F") == is_one_host);
        CHECK((at[0].find_first_not_of('0') == std::string::npos) == !is_one_host);
    }
    const HeldPort port;
    for (const std::string address : {"127.0.0.1", "localhost"}) {
        Place place = place_at(port);
        place.address = address;
        place.local_size = 1;
        const auto store = RankStore::open(place, true, seconds(10));
        REQUIRE(listened_at(port.number()).size() == 1);
        CHECK(listened_at(port.number())[0].find_first_not_of('0') != std::string::npos);
    }
}

TEST_CASE("rank store: where it lacks a descriptor it says so, and signals come as before") {
    const HeldPort port;
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const int next = dup(0);
    REQUIRE(next >= 0);
    close(next);
    sigset_t were{};
    pthread_sigmask(SIG_SETMASK, nullptr, &were);
    const rlimit one_more{static_cast<rlim_t>(next) + 1, before.rlim_max};  // the one that listens
    REQUIRE(setrlimit(RLIMIT_NOFILE, &one_more) == 0);
    const std::string text = refusal(place_at(port), seconds(5), true);
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(text == "Too many open files");
    sigset_t are{};
    pthread_sigmask(SIG_SETMASK, nullptr, &are);
    CHECK(sigismember(&are, SIGINT) == sigismember(&were, SIGINT));
}

TEST_CASE("rank store: another secret and another number of ranks are refused") {
    const HeldPort port;
    const auto store = RankStore::open(place_at(port), true, seconds(10));
    Place other = place_at(port);
    other.secret = "theirs";
    CHECK(
        refusal(other) ==
        "rank 0 refuses this process: it has another secret than rank 0; set PTP_SECRET to the same "
        "text in all processes");
    other = place_at(port);
    other.size = 3;
    CHECK(refusal(other) ==
          "rank 0 refuses this process: it is one of 3 ranks, rank 0 is one of 2");
}

TEST_CASE("rank store: strangers neither take part nor stop the ranks") {
    const HeldPort port;
    const auto store = RankStore::open(place_at(port), true, seconds(10));
    std::vector<Descriptor> silent;
    for (int i = 0; i < 20; ++i) {
        silent.push_back(stranger(port.number()));
    }
    // The nonces, a number of ranks, no proof, and a word of 3 GiB that the store must not
    // allocate.
    const Descriptor loud = stranger(port.number());
    const std::string bytes = std::string(32, 'n') + std::string("\2\0\0\0", 4) +
                              std::string(64, 'p') + std::string("\0\0\0\xc0", 4);
    REQUIRE(send(loud.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
    std::string answer;
    std::array<char, 256> piece{};
    for (ssize_t count = 1; count > 0;) {
        count = recv(loud.get(), piece.data(), piece.size(), 0);
        answer.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    CHECK(answer.find("-it has another secret") != std::string::npos);
    const auto second = RankStore::open(place_at(port), false, seconds(10));
    second->set("a", Bytes{1});
    CHECK(store->get("a") == Bytes{1});
}

}  // namespace rank_store_test
