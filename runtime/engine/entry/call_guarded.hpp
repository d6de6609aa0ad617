// The guard through which the symbols of libptp-engine.so call its functions.

#pragma once

#include "base/error.hpp"
#include "engine/request.hpp"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

namespace ptp::engine {

// Lets no exception out: the program that opened the library need not know its exceptions.
template <class Function>
void call_guarded(RunResult& result, Function function) noexcept {
    try {
        result.exit_code = function();
        return;
    } catch (const RunError& error) {
        result.exit_code = error.code();
        result.error = error.what();
        return;
    } catch (const c10::Error& error) {
        result.error = error.what_without_backtrace();
    } catch (const std::bad_alloc&) {
        result.error = "out of memory";
    } catch (const std::exception& error) {
        result.error = error.what();
    }
    result.exit_code = kTrainingError;
}

}  // namespace ptp::engine
