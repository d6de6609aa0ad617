// Receives files by libcurl, and explains what a server or its certificate has refused.

#include "common/download.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/explanation.hpp"

#include <curl/curl.h>
#include <fmt/core.h>
#include <openssl/x509_vfy.h>

#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>

namespace ptp::tools {

namespace {

constexpr std::initializer_list<const char*> kAuthorities = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};

[[noreturn]] void refuse(const DownloadRequest& request, const std::string& reason,
                         const std::string& fix = "") {
    throw WithFix<RunError>(kTrainingError,
                            {fmt::format("cannot fetch {}: {}", request.address, reason), fix});
}

// An exception must not pass through the library, so it waits here.
struct Receiver {
    const DownloadRequest& request;
    CURL* handle = nullptr;
    std::exception_ptr failure;
    bool is_ended = false;
};

std::size_t take_received(char* bytes, std::size_t /*one*/, std::size_t size, void* data) {
    auto& receiver = *static_cast<Receiver*>(data);
    long status = 0;
    curl_easy_getinfo(receiver.handle, CURLINFO_RESPONSE_CODE, &status);
    try {
        receiver.is_ended = !receiver.request.take(status, std::string_view(bytes, size));
    } catch (...) {
        receiver.failure = std::current_exception();
        return 0;
    }
    return receiver.is_ended ? 0 : size;
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

void configure(CURL* handle, Receiver& receiver) {
    constexpr long kConnectSeconds = 30;
    constexpr long kSlowBytes = 100;  // a second, ...
    constexpr long kSlowSeconds = 60;
    constexpr long kMaxRedirections = 5;
    const DownloadRequest& request = receiver.request;
    const bool is_encrypted = request.address.starts_with("https://");
    curl_easy_setopt(handle, CURLOPT_URL, request.address.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, is_encrypted ? "https" : "http,https");
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMaxRedirections);
    curl_easy_setopt(handle, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, kSlowBytes);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kSlowSeconds);
    curl_easy_setopt(handle, CURLOPT_USERAGENT,
                     fmt::format("{}/{}", request.program, PTP_VERSION).c_str());
    if (request.from > 0) {
        curl_easy_setopt(handle, CURLOPT_RANGE, fmt::format("{}-", request.from).c_str());
    }
    // Its own programs take the authorities of these variables; the library does not by itself.
    if (const std::string file = named_by(kAuthorities); !file.empty()) {
        curl_easy_setopt(handle, CURLOPT_CAINFO, file.c_str());
        curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
    }
    if (const std::string folder = named_by({"SSL_CERT_DIR"}); !folder.empty()) {
        curl_easy_setopt(handle, CURLOPT_CAPATH, folder.c_str());
    }
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_received);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &receiver);
}

[[noreturn]] void refuse_end(const DownloadRequest& request, CURL* handle, CURLcode code,
                             long status) {
    if (code == CURLE_SSL_CACERT_BADFILE) {
        refuse(request,
               fmt::format("the certificates of authorities in '{}' cannot be read",
                           named_by(kAuthorities)),
               "name a file of certificates (PEM): SSL_CERT_FILE=FILE; or unset the variable");
    }
    if (code == CURLE_PEER_FAILED_VERIFICATION) {
        const Explanation why = refuse_certificate(handle);
        refuse(request, why.reason, why.fix);
    }
    refuse(request, code == CURLE_HTTP_RETURNED_ERROR ? fmt::format("the server answers {}", status)
                                                      : curl_easy_strerror(code));
}

}  // namespace

long download(const DownloadRequest& request) {
    const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl_easy_init(), curl_easy_cleanup);
    if (!handle) {
        throw RunError(kTrainingError, "cannot start libcurl");
    }
    Receiver receiver{request, handle.get(), nullptr};
    configure(handle.get(), receiver);
    const CURLcode code = curl_easy_perform(handle.get());
    long status = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    if (receiver.failure) {
        std::rethrow_exception(receiver.failure);
    }
    const bool is_answer =
        status == kNotFound || status == kGone || (status == kNothingThere && request.from > 0);
    if (code != CURLE_OK && !receiver.is_ended &&
        !(code == CURLE_HTTP_RETURNED_ERROR && is_answer)) {
        refuse_end(request, handle.get(), code, status);
    }
    return status;
}

}  // namespace ptp::tools
