/* ten_steps EXPERIMENT PLUGINS RUN-FOLDER: trains ten steps in this process with an outside plugin, and feeds what
 * was trained. */

#include <ptp/host.h>

#include <math.h>

static int fail(ptp_experiment* experiment, const char* what) {
    fprintf(stderr, "%s: %s\n", what, ptp_experiment_error(experiment));
    ptp_experiment_close(experiment);
    return 1;
}

int main(int argc, char** argv) {
    ptp_experiment* experiment = NULL;
    ptp_experiment_options options = PTP_EXPERIMENT_OPTIONS;
    const char* plugins[1];
    int32_t is_running = 1;
    double first = 0;
    double last = 0;
    float features[] = {0.5f, 1.0f};
    int64_t shape[] = {1, 2};
    DLTensor input = {features, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 0};
    DLManagedTensor* output = NULL;
    if (argc != 4)
        return 2;
    plugins[0] = argv[2];
    options.plugins = plugins;
    options.plugin_count = 1;
    options.run_folder = argv[3];
    if (ptp_experiment_open(argv[1], &options, &experiment))
        return fail(experiment, "open");
    for (int step = 0; step < 10; ++step) {
        if (ptp_experiment_step(experiment, &is_running) || is_running != (step < 9))
            return fail(experiment, "step");
        if (ptp_experiment_statistic(experiment, "loss", step == 0 ? &first : &last))
            return fail(experiment, "statistic");
    }
    if (!(last < first) || !isfinite(last))
        return fail(experiment, "the loss does not fall");
    if (ptp_experiment_feed(experiment, "inputs", &input) || ptp_experiment_predict(experiment) ||
        ptp_experiment_read(experiment, "predictions", &output))
        return fail(experiment, "predict");
    if (output->dl_tensor.ndim != 2 || output->dl_tensor.shape[1] != 2)
        return fail(experiment, "the shape of the predictions");
    output->deleter(output);
    printf("loss %f, then %f\n", first, last);
    ptp_experiment_close(experiment);
    return 0;
}
