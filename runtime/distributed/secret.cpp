#include "distributed/secret.hpp"

#include "base/descriptor.hpp"
#include "base/input_file.hpp"
#include "base/sha256.hpp"
#include "base/system_file.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace ptp::distributed {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDigits = 64;

fs::path config_folder() {
    const char* const config = std::getenv("XDG_CONFIG_HOME");
    if (config != nullptr && *config == '/') {
        return fs::path(config) / "ptp";
    }
    const char* const home = std::getenv("HOME");
    return home == nullptr || *home != '/' ? fs::path() : fs::path(home) / ".config/ptp";
}

// Makes a whole file, or none: another rank may make it at the same moment.
void make_secret(const fs::path& file) {
    constexpr int kOwnerOnly = 0600;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    const fs::path unfinished = file.string() + "." + new_secret().substr(0, 16);
    const Descriptor made(system::create_new(unfinished, kOwnerOnly));
    const std::string text = new_secret() + "\n";
    if (made.is_open() &&
        ::write(made.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
        fs::create_hard_link(unfinished, file, error);
    }
    fs::remove(unfinished, error);
}

}  // namespace

std::string new_secret() {
    std::array<char, 32> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::system_error(errno, std::generic_category(), "no random numbers");
    }
    return sha256({bytes.data(), bytes.size()});
}

std::string secret_of_user() {
    const fs::path folder = config_folder();
    if (folder.empty()) {
        return "";
    }
    const fs::path file = folder / "rank_secret";
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
        make_secret(file);
    }
    try {
        return InputFile(file).read(0, kDigits);
    } catch (const std::exception&) {
        return "";
    }
}

}  // namespace ptp::distributed
