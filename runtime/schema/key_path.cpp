#include "schema/key_path.hpp"

#include "base/toml_writer.hpp"

namespace ptp::schema {

std::string below(const std::string& path, std::string_view key) {
    return path.empty() ? toml_key(key) : path + "." + toml_key(key);
}

}  // namespace ptp::schema
