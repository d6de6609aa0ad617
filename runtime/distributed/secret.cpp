// Makes the secret of a training's ranks, and keeps that of a user in the folder of settings.

#include "distributed/secret.hpp"

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "base/sha256.hpp"
#include "base/system_file.hpp"

#include <fmt/core.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
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
    const fs::path home = home_folder();
    return home.is_absolute() ? home / ".config/ptp" : fs::path();
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
        ::write(made.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        system::flush(made.get()) == 0) {
        fs::create_hard_link(unfinished, file, error);
    }
    fs::remove(unfinished, error);
}

[[noreturn]] void refuse_secret(const fs::path& file, const std::string& problem) {
    throw WithFix<RunError>(
        kConfigurationError,
        Explanation{fmt::format("{}: {}", file.string(), problem),
                    "remove it, and the next training makes another one; or set PTP_SECRET to the "
                    "same text in all processes"});
}

}  // namespace

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw std::system_error(errno, std::generic_category(), "no random numbers");
    }
    return bytes;
}

std::string new_secret() {
    return sha256(random_bytes(kDigits / 2));
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
        if (!fs::exists(file, ignored)) {
            return "";
        }
    }
    std::string text;
    try {
        text = InputFile(file).read(0, kDigits + 2);
    } catch (const FileError& error) {
        refuse_secret(file, error.what());
    }
    const auto is_digit = [](unsigned char character) { return std::isxdigit(character) != 0; };
    if (text.size() > kDigits && text.substr(kDigits) == "\n") {
        text.pop_back();
    }
    if (text.size() != kDigits || !std::ranges::all_of(text, is_digit)) {
        refuse_secret(
            file,
            fmt::format("is not a secret of trainings, which has {} hexadecimal digits", kDigits));
    }
    return text;
}

}  // namespace ptp::distributed
