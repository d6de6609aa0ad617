// Options of several commands, and the objects that they select.

#pragma once

#include "ptp-pack/commands.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/repository.hpp"
#include "ptp-pack/store.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::pack {

// --system and --into FOLDER: selects the packages.
std::vector<Option> store_options();
Store chosen_store(const Given& given, const Folders& folders);

// Throws for a name that no installed package has.
[[noreturn]] void refuse_not_installed(const std::string& name,
                                       const std::vector<InstalledPackage>& installed);

// --keys FOLDER and --allow-unsigned.
std::vector<Option> trust_options();
TrustedKeys chosen_keys(const Given& given, const Folders& folders);
Unsigned chosen_strictness(const Given& given);

// --repository LOCATION and --allow-expired.
std::vector<Option> repository_options();

// The repositories of the command line, or else of the configuration; their indexes are fetched and
// checked.
struct RepositoryAccess {
    const Given& given;
    const Folders& folders;
    const TrustedKeys& keys;
    std::filesystem::path staging;
};
std::vector<OpenRepository> open_repositories(const RepositoryAccess& access);

// Returns the folders that ptprun searches for plugins without options.
std::vector<std::filesystem::path> plugin_folders();

// --key FILE and --password-file FILE.
std::vector<Option> secret_key_options();
SecretKey chosen_secret_key(const Given& given);

// Returns the first line of a file. Throws RunError if it cannot be read or is empty.
std::string password_from_file(const std::string& file);

// Returns "with the key 74EE58946A0D8F97" or "unsigned".
std::string signed_text(const std::string& key_id);

}  // namespace ptp::pack
