// The record of a component in a recording, with each of its keys.
#pragma once

#include "base/value.hpp"

#include <string>

namespace ptp::test {

inline Value made_up_record(const std::string& type) {
    Value record = Value::table({{"type", type}});
    for (const char* name : {"name", "path", "section", "plugin", "version", "run", "device"}) {
        record.set(name, "x");
    }
    for (const char* name : {"kind", "seed", "threads"}) {
        record.set(name, 1);
    }
    for (const char* name : {"settings", "global_names", "constants", "globals", "sizes"}) {
        record.set(name, Value::table());
    }
    for (const char* name : {"inputs", "outputs"}) {
        record.set(name, Value::list({}));
    }
    return record;
}

}  // namespace ptp::test
