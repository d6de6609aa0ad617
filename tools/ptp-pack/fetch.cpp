#include "ptp-pack/fetch.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "ptp-pack/folders.hpp"
#include "ptp-pack/refuse.hpp"

#include <curl/curl.h>
#include <fmt/core.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHttps = "https://";
constexpr std::initializer_list<const char*> kAuthorities = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};

std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return lower;
}

// Where what is received goes. An exception must not pass through the library, so it waits here.
struct Download {
    OutputFile file;
    std::uint64_t max_bytes;
    std::exception_ptr failure;
    bool is_too_large = false;
};

std::size_t take_received(char* bytes, std::size_t /*one*/, std::size_t size, void* data) {
    auto& download = *static_cast<Download*>(data);
    if (download.file.size() + size > download.max_bytes) {
        download.is_too_large = true;
        return 0;
    }
    try {
        download.file.write(bytes, size);
    } catch (...) {
        download.failure = std::current_exception();
        return 0;
    }
    return size;
}

[[noreturn]] void too_large(const std::string& location, std::uint64_t max_bytes) {
    refuse(kDataError, {fmt::format("{}: has more than {} bytes", location, max_bytes)});
}

// The value of the first of these variables that has one.
std::string named_by(std::initializer_list<const char*> variables) {
    for (const char* variable : variables) {
        const char* const value = std::getenv(variable);
        if (value != nullptr && *value != '\0') {
            return value;
        }
    }
    return "";
}

// Why the server is not taken for the one that the address names.
Explanation refuse_certificate(CURL* handle) {
    long verified = 0;
    curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &verified);
    switch (verified) {
        case X509_V_OK:  // it is a right one, and not of this host: libcurl has compared the names
        case X509_V_ERR_UNSPECIFIED:
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return {"its certificate is of another host",
                    "check the address; if it is right, ask who runs the server"};
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return {"its certificate is not valid yet",
                    "check the clock of this machine; if it is right, ask who runs the server"};
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return {"its certificate has expired",
                    "ask who runs the server to renew it; if it was renewed, check the clock of "
                    "this machine"};
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return {"its certificate is not of an authority that is trusted here",
                    "check the address; if the authority is your own, name the file of its "
                    "certificate: SSL_CERT_FILE=FILE"};
        default:
            return {fmt::format("its certificate is wrong: {}",
                                X509_verify_cert_error_string(verified)),
                    "ask who runs the server"};
    }
}

void configure(CURL* handle, const std::string& location, Download& download) {
    constexpr long kConnectSeconds = 30;
    constexpr long kSlowBytes = 100;  // a second, ...
    constexpr long kSlowSeconds = 60;
    constexpr long kMaxRedirections = 5;
    const bool is_encrypted = location.starts_with(kHttps);
    curl_easy_setopt(handle, CURLOPT_URL, location.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, is_encrypted ? "https" : "http,https");
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMaxRedirections);
    curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kSlowBytes);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "ptp-pack/" PTP_VERSION);
    // Its own programs take the authorities of these variables; the library does not by itself.
    if (const std::string file = named_by(kAuthorities); !file.empty()) {
        curl_easy_setopt(handle, CURLOPT_CAINFO, file.c_str());
        curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
    }
    if (const std::string folder = named_by({"SSL_CERT_DIR"}); !folder.empty()) {
        curl_easy_setopt(handle, CURLOPT_CAPATH, folder.c_str());
    }
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_received);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &download);
}

Fetched fetch_address(const std::string& location, const fs::path& to, std::uint64_t max_bytes) {
    constexpr long kNotFound = 404;
    constexpr long kGone = 410;
    Download download{OutputFile::create(to), max_bytes, nullptr};
    const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl_easy_init(), curl_easy_cleanup);
    if (!handle) {
        refuse(kTrainingError, {"cannot start libcurl"});
    }
    configure(handle.get(), location, download);
    const CURLcode code = curl_easy_perform(handle.get());
    long status = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    if (download.failure) {
        std::rethrow_exception(download.failure);
    }
    if (download.is_too_large) {
        too_large(location, max_bytes);
    }
    if (code == CURLE_HTTP_RETURNED_ERROR && (status == kNotFound || status == kGone)) {
        return Fetched::kMissing;
    }
    if (code == CURLE_SSL_CACERT_BADFILE) {
        refuse(
            kTrainingError,
            {fmt::format("cannot fetch {}: the certificates of authorities in '{}' cannot be read",
                         location, named_by(kAuthorities)),
             "name a file of certificates (PEM): SSL_CERT_FILE=FILE; or unset the variable"});
    }
    if (code == CURLE_PEER_FAILED_VERIFICATION) {
        const Explanation why = refuse_certificate(handle.get());
        refuse(kTrainingError, {fmt::format("cannot fetch {}: {}", location, why.reason), why.fix});
    }
    if (code != CURLE_OK) {
        const std::string reason = code == CURLE_HTTP_RETURNED_ERROR
                                       ? fmt::format("the server answers {}", status)
                                       : curl_easy_strerror(code);
        refuse(kTrainingError, {fmt::format("cannot fetch {}: {}", location, reason)});
    }
    download.file.finish();
    return Fetched::kWhole;
}

Fetched copy_path(const std::string& location, const fs::path& to, std::uint64_t max_bytes) {
    constexpr std::uint64_t kPieceSize = 1U << 20U;
    if (is_absent(location)) {
        return Fetched::kMissing;
    }
    try {
        const InputFile source(location);
        if (source.size() > max_bytes) {
            too_large(location, max_bytes);
        }
        OutputFile copy = OutputFile::create(to);
        while (copy.size() < source.size()) {
            const std::string piece = source.read(copy.size(), kPieceSize);
            if (piece.empty()) {
                break;
            }
            copy.write(piece);
        }
        copy.finish();
    } catch (const FileError& why) {
        refuse(kDataError, {fmt::format("{}: {}", location, why.what())});
    }
    return Fetched::kWhole;
}

}  // namespace

bool is_address(std::string_view location) {
    const std::string begin = in_lower_case(location.substr(0, kHttps.size()));
    return begin.starts_with("http://") || begin == kHttps;
}

std::string normal_location(std::string location) {
    if (!is_address(location)) {
        return location;
    }
    const std::size_t scheme = location.find("://") + 3;
    while (location.size() > scheme && location.back() == '/') {
        location.pop_back();
    }
    const std::size_t end = std::min(location.find_first_of("/?#", scheme), location.size());
    const std::size_t user = location.substr(0, end).rfind('@');  // its name has two cases
    const std::size_t host = user == std::string::npos ? scheme : user + 1;
    return in_lower_case(location.substr(0, scheme)) + location.substr(scheme, host - scheme) +
           in_lower_case(location.substr(host, end - host)) + location.substr(end);
}

std::string unique_location(const std::string& location) {
    if (is_address(location)) {
        return normal_location(location);
    }
    std::error_code error;
    const fs::path folder = fs::weakly_canonical(location, error);
    return error ? fs::absolute(location).lexically_normal().string() : folder.string();
}

std::string location_of(const std::string& repository, const std::string& file) {
    if (!is_address(repository)) {
        return (fs::path(repository) / file).string();
    }
    return repository + (repository.ends_with('/') ? "" : "/") + file;
}

Fetched fetch(const std::string& location, const fs::path& to, std::uint64_t max_bytes) {
    return is_address(location) ? fetch_address(normal_location(location), to, max_bytes)
                                : copy_path(location, to, max_bytes);
}

}  // namespace ptp::pack
