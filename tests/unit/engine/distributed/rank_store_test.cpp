// The store of the ranks, over the loopback interface alone.

#include "engine/distributed/rank_store.hpp"

#include "base/descriptor.hpp"
#include "distributed/held_port.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace rank_store_test {

using ptp::Descriptor;
using ptp::distributed::HeldPort;
using ptp::engine::open_rank_store;
using ptp::engine::StorePlace;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Bytes = std::vector<std::uint8_t>;

namespace {

StorePlace place_at(const HeldPort& port) {
    return {.address = "127.0.0.1", .port = port.number(), .secret = "ours", .ranks = 2};
}

std::string refusal(const StorePlace& place) {
    try {
        open_rank_store(place, false, seconds(5));
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
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
    const auto first = open_rank_store(place_at(port), true, seconds(10));
    const auto second = open_rank_store(place_at(port), false, seconds(10));
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
    const auto first = open_rank_store(place_at(port), true, seconds(10));
    const auto second = open_rank_store(place_at(port), false, seconds(10));
    std::thread later([&] { first->set("late", Bytes{5}); });
    CHECK(second->get("late") == Bytes{5});
    later.join();
    CHECK_THROWS_WITH(second->wait({"never"}, milliseconds(10)),
                      "no rank has put 'never' into the store within 10 ms");
    CHECK(second->check({"late"}));
}

TEST_CASE("rank store: it listens at its address alone") {
    const HeldPort port;
    const auto store = open_rank_store(place_at(port), true, seconds(10));
    CHECK(listened_at(port.number()) == std::vector<std::string>{"0100007F"});
}

TEST_CASE("rank store: another secret and another number of ranks are refused") {
    const HeldPort port;
    const auto store = open_rank_store(place_at(port), true, seconds(10));
    StorePlace other = place_at(port);
    other.secret = "theirs";
    CHECK(
        refusal(other) ==
        "rank 0 refuses this process: it has another secret than rank 0; set PTP_SECRET to the same "
        "text in all processes");
    other = place_at(port);
    other.ranks = 3;
    CHECK(refusal(other) ==
          "rank 0 refuses this process: it is one of 3 ranks, rank 0 is one of 2");
}

TEST_CASE("rank store: strangers neither take part nor stop the ranks") {
    const HeldPort port;
    const auto store = open_rank_store(place_at(port), true, seconds(10));
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
    const auto second = open_rank_store(place_at(port), false, seconds(10));
    second->set("a", Bytes{1});
    CHECK(store->get("a") == Bytes{1});
}

}  // namespace rank_store_test
