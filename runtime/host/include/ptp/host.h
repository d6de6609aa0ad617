/* libptp: ptp in a program. Loads and checks an experiment, trains it at once or an episode at a
 * time, reads its streams, and feeds trained components to predict. Plain C11; docs/embedding.md
 * shows a whole program. Link with libptp alone (pkg-config libptp): libtorch is opened when
 * something is to be computed.
 *
 * Results. Every function that can fail returns a ptp_result; PTP_RESULT_DONE is 0, and the others
 * are the exit codes of ptprun (docs/exit-codes.md). ptp_experiment_error() is the text of the last
 * failure, as ptprun prints it. After any failure the library can be used on, also with the same
 * experiment where that is possible. Only a crash of a component ends the process.
 *
 * Threads. Calls on one experiment are made one at a time, from any thread;
 * ptp_experiment_stop() alone may come at any time. Components run on a thread of the library,
 * which blocks all signals but those of its own crashes, while the caller waits. One experiment of
 * a process computes at a time: from its first step to its end, or from its first feed to its
 * closing, another one is refused with PTP_RESULT_MISUSE. Several may be open. A process that forks
 * after the first step does not use the library in the child.
 *
 * Plugins. One from outside is loaded in a process of its own before its first use, by the
 * ptp-inspect that was installed with the library; one that crashes or hangs there is refused, and
 * that is remembered. Where ptp-inspect is not installed, or there is no home to remember it in,
 * nothing is tried, and a plugin that crashes as it is loaded ends the program. A program that
 * waits for any child process may see that one.
 *
 * Signals. The library installs no signal handlers and changes none, unless an experiment asks for
 * it (handles_signals). It prints nothing, unless an experiment has an output.
 *
 * Ownership. Texts and lists that are returned belong to the experiment and stay valid until the
 * next call of the same function on it, or its closing. What is passed in is copied.
 */
#ifndef PTP_HOST_H
#define PTP_HOST_H

#include <ptp/dlpack.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTP_HOST_EXPORT __attribute__((visibility("default")))

typedef int32_t ptp_result;
enum {
    PTP_RESULT_DONE = 0,
    PTP_RESULT_CONFIGURATION = 2, /* the experiment, or a name in a call, asks for what is not */
    PTP_RESULT_PLUGIN = 3,        /* a plugin cannot be loaded, or breaks the contract */
    PTP_RESULT_DATA = 4,          /* a file, a sample or a tensor is not what was promised */
    PTP_RESULT_TRAINING = 5,      /* anything else */
    PTP_RESULT_DIVERGED = 6,      /* the loss is not a number any more, or far too large */
    PTP_RESULT_MISUSE = 64,       /* this header does not allow the call now; nothing was done */
    PTP_RESULT_STOPPED = 130      /* by ptp_experiment_stop(), or by SIGINT where that is handled */
};

typedef struct ptp_experiment ptp_experiment;

/* Begin with PTP_EXPERIMENT_OPTIONS, which has all defaults. */
typedef struct ptp_experiment_options {
    size_t struct_size;
    const char* const* set; /* KEY=VALUE, as after ptprun --set */
    size_t set_count;
    const char* const* plugins; /* folders with plugins, before all others */
    size_t plugin_count;
    const char* run_folder; /* of the training; empty or not there. NULL: runs/NAME/TIME */
    const char* checkpoint; /* the folder of one, whose weights predict. NULL: the best of the run;
                               without a run what the experiment loads */
    FILE* output;           /* of progress and warnings; NULL: none. Stays the caller's, and open */
    int32_t handles_signals; /* 1: while it trains, SIGHUP, SIGINT, SIGTERM and SIGUSR1 end the
                                training after its episode, with 129, 130 or 143, and while it
                                trains or predicts a crash is reported. At the end the former
                                handlers are back, but SIGPIPE stays ignored */
} ptp_experiment_options;

#define PTP_EXPERIMENT_OPTIONS \
    { sizeof(ptp_experiment_options), NULL, 0, NULL, 0, NULL, NULL, NULL, 0 }

/* --- Loading and checking: milliseconds, without libtorch and without code of plugins ------------ */

/* Loads and checks an experiment file, or a run's folder, which predicts with the run's plugins and
 * weights, and needs no data. `options` may be NULL. *out is an experiment whatever is wrong with the file, so that its
 * problems can be listed; only where the result is PTP_RESULT_MISUSE or memory runs out it is NULL. */
PTP_HOST_EXPORT ptp_result ptp_experiment_open(const char* file,
                                               const ptp_experiment_options* options,
                                               ptp_experiment** out);

/* The same from text, in TOML. `name` is the file's name in messages and, with a folder, where
 * relative paths begin; it need not exist. */
PTP_HOST_EXPORT ptp_result ptp_experiment_parse(const char* text, const char* name,
                                                const ptp_experiment_options* options,
                                                ptp_experiment** out);

/* Loads and checks a run that did not come to its end, in `run`, its folder. step() and run()
 * continue it there from its newest whole checkpoint, with the bits of a run that was not
 * interrupted, with the plugins that it has used, and whatever has become of the experiment's file.
 * Of the options `set` changes the experiment from there on, as after ptprun resume --set, and
 * `plugins` have other builds of its plugins; run_folder and checkpoint stay NULL. Where the run is
 * done and nothing is changed, the first step ends it with PTP_RESULT_DONE. */
PTP_HOST_EXPORT ptp_result ptp_experiment_resume(const char* run,
                                                 const ptp_experiment_options* options,
                                                 ptp_experiment** out);

/* Ends what has begun, a training with a checkpoint, and frees all of it. NULL is allowed. */
PTP_HOST_EXPORT void ptp_experiment_close(ptp_experiment* experiment);

/* Checks again, files that are needed too. Not between the first step and the end, nor between the
 * first feed and the closing. */
PTP_HOST_EXPORT ptp_result ptp_experiment_check(ptp_experiment* experiment);

/* One thing that is wrong. */
typedef struct ptp_problem {
    int32_t is_warning; /* 0: an error */
    const char* file;   /* "" where it is in none */
    size_t line;        /* from 1; 0: unknown */
    size_t column;      /* the same */
    const char* key;    /* "pipeline.net.dropout"; may be "" */
    const char* value;  /* as TOML; may be "" */
    const char* message;
    const char* fix; /* what to do; "" where that is not known */
} ptp_problem;

/* All that the last check has found, in order of file and line. Valid until the next check. */
PTP_HOST_EXPORT size_t ptp_experiment_problems(const ptp_experiment* experiment,
                                               const ptp_problem** out);

/* The text of the last failure; "" before the first. NULL: of the last open or parse of this thread
 * that returned no experiment. */
PTP_HOST_EXPORT const char* ptp_experiment_error(const ptp_experiment* experiment);

/* --- Training, into a run folder like ptprun's and with the same bits ---------------------------- */

/* Trains to the end, from wherever it is. An experiment trains once. */
PTP_HOST_EXPORT ptp_result ptp_experiment_run(ptp_experiment* experiment);

/* Trains for one episode, and does what is due after it: validation, checkpoints. *is_running is 1
 * if another can follow, and 0 at the end, whose result is returned then and from then on. */
PTP_HOST_EXPORT ptp_result ptp_experiment_step(ptp_experiment* experiment, int32_t* is_running);

/* Writes a checkpoint between two steps. */
PTP_HOST_EXPORT ptp_result ptp_experiment_save(ptp_experiment* experiment);

/* Ends the training with a checkpoint: after the episode that runs; between two steps at once, and
 * the next step trains no more. run() and step() return PTP_RESULT_STOPPED.
 * ptp_experiment_resume() and `ptprun resume` continue it. [any thread] */
PTP_HOST_EXPORT void ptp_experiment_stop(ptp_experiment* experiment);

/* The number of episodes that are done. */
PTP_HOST_EXPORT uint64_t ptp_experiment_episodes(const ptp_experiment* experiment);

/* The folder of the run: at once where one was opened or is continued, "" of a new one until its
 * training has begun. */
PTP_HOST_EXPORT const char* ptp_experiment_run_folder(ptp_experiment* experiment);

/* A statistic of the last episode, by its name in the run's tables: "loss". */
PTP_HOST_EXPORT ptp_result ptp_experiment_statistic(ptp_experiment* experiment, const char* name,
                                                    double* out);

/* --- Streams ------------------------------------------------------------------------------------- */

/* A stream that is a tensor: after a prediction of that, else of the last episode. Without a copy;
 * the memory is not to be written. The caller calls (*out)->deleter(*out), which may be after the
 * experiment was closed; after a failure *out is NULL. Tensors of bool are bytes of 0 and 1. */
PTP_HOST_EXPORT ptp_result ptp_experiment_read(ptp_experiment* experiment, const char* stream,
                                               DLManagedTensor** out);

/* The same for a stream of strings, each of which ends at its first zero byte. */
PTP_HOST_EXPORT ptp_result ptp_experiment_read_strings(ptp_experiment* experiment,
                                                       const char* stream, const char* const** out,
                                                       size_t* count);

/* Gives a stream of the task a batch, in place of its data, which need not be there. Reals of any
 * size become float32, integers int64; uint8 is also what a stream of bool is fed. The weights are
 * those of the checkpoint in the options, else of the run that was opened or trained. It stays until
 * it is fed again. Not while a training has begun and not ended. */
PTP_HOST_EXPORT ptp_result ptp_experiment_feed(ptp_experiment* experiment, const char* stream,
                                               const DLTensor* tensor);
PTP_HOST_EXPORT ptp_result ptp_experiment_feed_strings(ptp_experiment* experiment,
                                                       const char* stream,
                                                       const char* const* strings, size_t count);

/* Runs, in evaluation and without gradients, the components whose inputs were fed or follow from
 * it, of those that the streams which the losses read depend on. */
PTP_HOST_EXPORT ptp_result ptp_experiment_predict(ptp_experiment* experiment);

#ifdef __cplusplus
}
#endif

#endif
