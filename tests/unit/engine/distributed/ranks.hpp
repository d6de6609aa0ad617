// Several processes of a training as threads of one.
#pragma once

#include "distributed/held_port.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/distributed/group.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace ptp::test {

// Runs `work` once for each rank, all at the same time. Throws what one of them has thrown.
inline void run_places(std::int64_t count,
                       const std::function<void(const distributed::Place&)>& work) {
    const distributed::HeldPort held;
    const std::uint16_t port = held.number();
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (std::int64_t rank = 0; rank < count; ++rank) {
        threads.emplace_back([&, rank] {
            try {
                distributed::Place place;
                place.rank = rank;
                place.size = count;
                place.host = "here";
                place.address = "127.0.0.1";
                place.port = port;
                place.secret = "of these threads";
                work(place);
            } catch (...) {
                errors[static_cast<std::size_t>(rank)] = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
}

// Does the same with the groups of the ranks. With a meeting, none ends before the others.
inline void run_ranks(std::int64_t count, const std::function<void(engine::Group&)>& work,
                      std::chrono::milliseconds timeout = std::chrono::seconds(30),
                      bool has_meeting = true) {
    run_places(count, [&](const distributed::Place& place) {
        const std::unique_ptr<engine::Group> group =
            engine::Group::join(place, timeout, std::chrono::seconds(30));
        work(*group);
        if (has_meeting) {
            group->barrier("the end of the test");
        }
    });
}

// Does the same with their collectives.
inline void run_collectives(std::int64_t count,
                            const std::function<void(engine::Collective&)>& work) {
    run_places(count, [&](const distributed::Place& place) {
        const auto collective = engine::join_processes(place, {});
        work(*collective);
        collective->barrier("the end of the test");
    });
}

}  // namespace ptp::test
