// Paths of what is in a package: what every system can write, and what leads nowhere else.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

// The folder of the libraries in a package, and of what travels with them.
inline constexpr std::string_view kLibrariesFolder = "plugins/";

// Why a package may have no file of this path, "leads out of the package"; "" if it may.
std::string refuse_path(std::string_view path);

// The first of these paths that is there twice (case does not count), or that is a folder of
// another one; "" if there is none.
std::string colliding_path(std::vector<std::string> paths);

// "my_losses": of a package, which is a folder where it is installed.
bool is_package_name(std::string_view name);

}  // namespace ptp::pack
