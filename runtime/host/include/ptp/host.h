/* libptp: ptp in a program. Loads and checks an experiment, trains it at once or an episode at a
 * time, reads its streams, and feeds trained components to predict. Plain C11; docs/embedding.md
 * shows a whole program. Link only with libptp (pkg-config libptp): libtorch is opened when it is
 * needed.
 *
 * Results. Every function that can fail returns a ptp_result; PTP_RESULT_DONE is 0, and the others
 * are the exit codes of ptprun (docs/exit-codes.md). ptp_experiment_error() is the text of the last
 * failure, as ptprun prints it. After any failure the library stays usable, also with the same
 * experiment if that is possible. Only a crash of a component ends the process.
 *
 * Threads. Calls on one experiment are made one at a time, from any thread;
 * only ptp_experiment_stop() may be called at any time. Components run on a thread of the library,
 * which blocks all signals except those of its own crashes, while the caller waits. One experiment
 * of a process trains at a time, from its first step to its end, or any number predict, from the
 * first feed of each to its closing; another one is refused with PTP_RESULT_MISUSE, and so is a
 * second one that predicts where one of them handles signals. Of those that predict one computes at
 * a time, and the calls on others wait. A component that is called there cannot train or predict
 * with another experiment on its thread, which would wait for itself: PTP_RESULT_MISUSE. On a
 * thread that it has started it must not: this waits forever. Several may be open. A process that
 * forks after the first step must not use the library in the child.
 *
 * Plugins. A plugin that does not come with ptp is loaded in a separate process before its first
 * use, by the ptp-inspect installed with the library; one that crashes or hangs there is refused,
 * and this is recorded. If ptp-inspect is not installed, or there is no home folder for the record,
 * nothing is tried, and a plugin that crashes when loaded ends the program. A program that waits
 * for any child process may see that one.
 *
 * Signals. The library installs and changes no signal handlers, unless an experiment requests it
 * (handles_signals). It prints nothing, unless an experiment has an output.
 *
 * Ownership. Returned texts and lists belong to the experiment and stay valid until the next call
 * of the same function on it, or its closing. Arguments are copied.
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
    PTP_RESULT_CONFIGURATION = 2, /* an error in the experiment, or in a name in a call */
    PTP_RESULT_PLUGIN = 3,        /* a plugin cannot be loaded, or violates the contract */
    PTP_RESULT_DATA = 4,          /* a file, a sample or a tensor is not as declared */
    PTP_RESULT_TRAINING = 5,      /* anything else */
    PTP_RESULT_DIVERGED = 6,      /* the loss is NaN, infinite or far too large */
    PTP_RESULT_MISUSE = 64,       /* this header does not allow the call now; it had no effect */
    PTP_RESULT_STOPPED = 130      /* by ptp_experiment_stop(), or by SIGINT if that is handled */
};

typedef struct ptp_experiment ptp_experiment;

/* Initialize it with PTP_EXPERIMENT_OPTIONS, which has all defaults. */
typedef struct ptp_experiment_options {
    size_t struct_size;
    const char* const* set; /* KEY=VALUE, as after ptprun --set */
    size_t set_count;
    const char* const* plugins; /* folders with plugins, before all others */
    size_t plugin_count;
    const char* run_folder;  /* of the training; empty or missing. NULL: runs/NAME/TIME */
    const char* checkpoint;  /* its folder, or "best" or "last" of the run (a folder of such a name
                               is "./best"); its weights predict. NULL: the best one of the run;
                               without a run, those that the experiment loads */
    FILE* output;            /* for progress and warnings; NULL: none. The caller's, never closed */
    int32_t handles_signals; /* 1: while it trains, SIGHUP, SIGINT, SIGTERM and SIGUSR1 end the
                                training after its episode, with 129, 130 or 143, and while it
                                trains or predicts, crashes are reported. At the end the former
                                handlers are restored, but SIGPIPE stays ignored */
    int64_t skips_self_test; /* 1: a bundle predicts without computing first the samples that it
                                stores with their outputs, as by ptprun --no-self-test. Of 64 bits:
                                what fills the structure of former versions is no option */
    int64_t with_plugins;    /* 1: the plugins in a bundle are used where others than those are
                                installed, if a trusted key has signed it, as by ptprun
                                --with-plugins. ptp-pack, installed with the library, checks it */
} ptp_experiment_options;

#define PTP_EXPERIMENT_OPTIONS \
    { sizeof(ptp_experiment_options), NULL, 0, NULL, 0, NULL, NULL, NULL, 0, 0, 0 }

/* --- Loading and checking: milliseconds, without libtorch and without code of plugins ----------- */

/* Loads and checks an experiment file, or a run's folder or a file of `ptprun bundle`, which
 * predicts with its plugins and weights, and needs no data. "runs/net/last" and other names of runs
 * are those of ptprun. `options` may be NULL. *out is an experiment even if the file has errors, so
 * that its problems can be listed; it is NULL only for PTP_RESULT_MISUSE, for a damaged bundle or
 * if memory runs out. */
PTP_HOST_EXPORT ptp_result ptp_experiment_open(const char* file,
                                               const ptp_experiment_options* options,
                                               ptp_experiment** out);

/* Like ptp_experiment_open(), from a TOML text. `name` is the file's name in messages; relative
 * paths begin at its folder, if it has one. It need not exist. */
PTP_HOST_EXPORT ptp_result ptp_experiment_parse(const char* text, const char* name,
                                                const ptp_experiment_options* options,
                                                ptp_experiment** out);

/* Loads and checks an unfinished run in its folder `run`. step() and run() continue it there from
 * its newest whole checkpoint, with the bits of an uninterrupted run and with the plugins that it
 * has used, even if the experiment's file has changed. The option `set` changes the experiment from
 * there on, as with ptprun resume --set, and `plugins` have other builds of its plugins; run_folder
 * and checkpoint must be NULL. If the run is done and nothing is changed, the first step ends it
 * with PTP_RESULT_DONE. */
PTP_HOST_EXPORT ptp_result ptp_experiment_resume(const char* run,
                                                 const ptp_experiment_options* options,
                                                 ptp_experiment** out);

/* Ends what has begun, a training with a checkpoint, and frees the experiment. NULL is allowed. */
PTP_HOST_EXPORT void ptp_experiment_close(ptp_experiment* experiment);

/* Checks again, including required files. Not allowed between the first step and the end, nor
 * between the first feed and the closing. */
PTP_HOST_EXPORT ptp_result ptp_experiment_check(ptp_experiment* experiment);

/* A problem of the experiment. */
typedef struct ptp_problem {
    int32_t is_warning; /* 0: an error */
    const char* file;   /* "" if it is in none */
    size_t line;        /* from 1; 0: unknown */
    size_t column;      /* from 1; 0: unknown */
    const char* key;    /* "pipeline.net.dropout"; may be "" */
    const char* value;  /* as TOML; may be "" */
    const char* message;
    const char* fix; /* what to do; "" if unknown */
} ptp_problem;

/* Returns the number of problems of the last check, with warnings of what was fed since, and sets
 * *out to them, by file and line. Valid until the next check, or until something is fed. */
PTP_HOST_EXPORT size_t ptp_experiment_problems(const ptp_experiment* experiment,
                                               const ptp_problem** out);

/* Returns the text of the last failure; "" before the first. For NULL, that of the last open or
 * parse of this thread that returned no experiment. */
PTP_HOST_EXPORT const char* ptp_experiment_error(const ptp_experiment* experiment);

/* A stream that can be fed or that a prediction computes. */
typedef struct ptp_stream {
    const char* name;
    const char* element;  /* "float", "integer", "bool", "byte" or "string"; "other": neither fed
                            nor read */
    const char* shape;    /* "[B, 1, 28, 28]"; "*" for an unknown size; "" without a shape */
    const char* help;     /* of the port that writes it */
    int32_t is_fed;       /* the task writes it, so that ptp_experiment_feed() takes it */
    int32_t is_needed;    /* fed, and a predicted stream depends on it */
    int32_t is_predicted; /* ptp_experiment_predict() computes it, and it is an answer: an input of
                             the losses, or what nothing reads */
} ptp_stream;

/* Lists the streams with which the experiment predicts, fed ones first; milliseconds, without
 * libtorch. Valid until the next call. Sizes that the data decides are unknown without a run. */
PTP_HOST_EXPORT ptp_result ptp_experiment_streams(ptp_experiment* experiment,
                                                  const ptp_stream** out, size_t* count);

/* --- Training, into a run folder like ptprun's and with the same bits --------------------------- */

/* Trains to the end, from its current episode. An experiment trains once. */
PTP_HOST_EXPORT ptp_result ptp_experiment_run(ptp_experiment* experiment);

/* Trains for one episode, and does everything due after it: validation, checkpoints. *is_running is
 * 1 if another can follow, and 0 at the end, whose result is returned then and from then on. */
PTP_HOST_EXPORT ptp_result ptp_experiment_step(ptp_experiment* experiment, int32_t* is_running);

/* Writes a checkpoint between two steps. */
PTP_HOST_EXPORT ptp_result ptp_experiment_save(ptp_experiment* experiment);

/* Ends the training with a checkpoint: after the current episode; between two steps at once, and
 * the next step does not train. run() and step() return PTP_RESULT_STOPPED.
 * ptp_experiment_resume() and `ptprun resume` continue it. [any thread] */
PTP_HOST_EXPORT void ptp_experiment_stop(ptp_experiment* experiment);

/* Returns the number of completed episodes. */
PTP_HOST_EXPORT uint64_t ptp_experiment_episodes(const ptp_experiment* experiment);

/* Returns the folder of the run: at once if one was opened or is continued, "" for a new one until
 * its training has begun. */
PTP_HOST_EXPORT const char* ptp_experiment_run_folder(ptp_experiment* experiment);

/* Reads a statistic of the last episode, by its name in the run's tables: "loss". */
PTP_HOST_EXPORT ptp_result ptp_experiment_statistic(ptp_experiment* experiment, const char* name,
                                                    double* out);

/* Lists the names that ptp_experiment_statistic() takes, after the first episode. */
PTP_HOST_EXPORT ptp_result ptp_experiment_statistics(ptp_experiment* experiment,
                                                     const char* const** out, size_t* count);

/* --- Streams ------------------------------------------------------------------------------------ */

/* Reads a tensor stream, of the last prediction if there is one, otherwise of the last episode. The
 * memory is not copied and must not be written. The caller calls (*out)->deleter(*out), possibly
 * after the experiment was closed; after a failure *out is NULL. Bools are bytes 0 or 1. */
PTP_HOST_EXPORT ptp_result ptp_experiment_read(ptp_experiment* experiment, const char* stream,
                                               DLManagedTensor** out);

/* Does the same for a stream of strings, each of which ends at its first zero byte. */
PTP_HOST_EXPORT ptp_result ptp_experiment_read_strings(ptp_experiment* experiment,
                                                       const char* stream, const char* const** out,
                                                       size_t* count);

/* Feeds a batch to a stream of the task, instead of its data, which need not exist. Reals of any
 * size become float32, integers int64; a stream of bool is fed uint8. The weights are those of the
 * checkpoint in the options, otherwise of the run that was opened or trained. The batch stays until
 * the next feed; without a tensor (NULL) it is taken away, as if nothing had been fed to the stream.
 * Not allowed between the beginning and the end of a training. */
PTP_HOST_EXPORT ptp_result ptp_experiment_feed(ptp_experiment* experiment, const char* stream,
                                               const DLTensor* tensor);
PTP_HOST_EXPORT ptp_result ptp_experiment_feed_strings(ptp_experiment* experiment,
                                                       const char* stream,
                                                       const char* const* strings, size_t count);

/* Runs, in evaluation mode and without gradients, those components on which the inputs of the
 * losses depend and whose own inputs were fed or follow from fed ones. */
PTP_HOST_EXPORT ptp_result ptp_experiment_predict(ptp_experiment* experiment);

#ifdef __cplusplus
}
#endif

#endif
