// An environment that is not this process's.
#pragma once

#include "distributed/place.hpp"

#include <map>
#include <string>

namespace ptp::test {

using Variables = std::map<std::string, std::string>;

// The map must live on.
inline distributed::Lookup lookup_in(const Variables& variables) {
    return [&variables](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
}

inline distributed::Place place_in(const Variables& variables) {
    return distributed::place_from(lookup_in(variables), "node7");
}

}  // namespace ptp::test
