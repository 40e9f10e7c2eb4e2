// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/project-script.h"
#include "cli/terminal/progress-display.h"
#include "cli/terminal/run-summary.h"
#include "simulation/results/output-directory.h"
#include "simulation/results/requests-writer.h"
#include "simulation/results/result-files.h"
#include "simulation/results/summary-writer.h"
#include "simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

namespace nadi
{

namespace
{

constexpr size_t RANKS_SHOWN = 10;
constexpr size_t SENTENCES_SHOWN = 10;
constexpr const char* TIMELINE_KEY = "output.timeline=";

struct RunArguments
{
    ConfigArguments config;
    std::string out;
    bool isQuiet = false;
    bool hasReport = false;
};

/// The most memory that this process ever had. Not getrusage: what that tells is at least what the
/// process had that started this one.
uint64_t
MeasurePeakMemory()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word)
    {
        uint64_t kibibytes = 0;
        if (word == "VmHWM:" && status >> kibibytes)
        {
            return kibibytes * 1024;
        }
    }
    return 0;
}

/// What the process has cost since the first line of main.
RunCost
MeasureCost(const ProgramStart& start)
{
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start.start;
    return {elapsed.count(), MeasurePeakMemory()};
}

RunResults
Simulate(const RunInput& input, OutputDirectory& directory, ProgressMode mode)
{
    RunProgress progress;
    Simulation simulation(input, progress);
    for (const LinkCapture& capture : input.Captures())
    {
        // Captures are written while the run goes on, so they need a path in the directory now.
        simulation.Capture(capture.link, directory.PathFor(capture.file));
    }
    std::optional<RequestsWriter> requests;
    if (input.Serving() != nullptr)
    {
        // Likewise requests: each gets its row when it ends, and none is kept.
        requests.emplace(directory.PathFor("requests.csv"));
        simulation.ObserveRequests(*requests);
    }
    // Order: the display is destroyed before `progress`, which its thread reads.
    const ProgressDisplay display([&](auto elapsed) { return DescribeProgress(progress, elapsed); },
                                  mode);
    const InterruptionScope scope(simulation.Loop());
    RunResults results = simulation.Run();
    if (requests)
    {
        requests->Close();
    }
    return results;
}

/// Fills the directory; returns what the run had cost by then.
RunCost
WriteResults(OutputDirectory& directory,
             const RunInput& input,
             const RunResults& results,
             const ProgramStart& start)
{
    // What is here goes to a hidden directory until Publish, so that whoever looks at the results
    // while they are written sees the old ones or all of the new ones.
    WriteResultFiles(directory, input, results);
    // The summary comes last: it tells what the run cost, and writing the tables is part of that.
    const RunCost cost = MeasureCost(start);
    directory.Write("summary.json", WriteSummary(input, results, cost, start.program));
    directory.Publish();
    return cost;
}

/// The first few, each on a line that begins with `word`.
std::string
DescribeSentences(const std::string& word, const std::vector<std::string>& sentences)
{
    std::string text;
    for (size_t i = 0; i < std::min(sentences.size(), SENTENCES_SHOWN); ++i)
    {
        text += word + ": " + sentences[i] + "\n";
    }
    if (sentences.size() > SENTENCES_SHOWN)
    {
        text +=
            fmt::format("{}: {} more in summary.json\n", word, sentences.size() - SENTENCES_SHOWN);
    }
    return text;
}

/// The reason comes first; the report begins with it where it found a cause.
std::string
DescribeWaits(const RunResults& results)
{
    const std::string reason = results.waits->causes.empty() ? results.exitReason + "\n" : "";
    return reason + results.waits->ToText(RANKS_SHOWN);
}

/// The settings of the command line; a report shows a time line, unless they say otherwise.
std::vector<std::string>
SettingsOf(const RunArguments& arguments)
{
    std::vector<std::string> settings = arguments.config.settings;
    const bool isTimelineSet =
        std::any_of(settings.begin(),
                    settings.end(),
                    [](const std::string& setting) { return setting.starts_with(TIMELINE_KEY); });
    if (arguments.hasReport && !isTimelineSet)
    {
        settings.push_back(std::string(TIMELINE_KEY) + "on");
    }
    return settings;
}

/// Returns the exit code of the script.
int
MakeReport(const std::string& directory, bool isQuiet)
{
    std::vector<std::string> words{directory};
    if (isQuiet)
    {
        words.push_back("--quiet");
    }
    return RunScript("report", words);
}

std::string
DefaultDirectory(const std::string& file)
{
    return (std::filesystem::path("results") / std::filesystem::path(file).stem()).string();
}

/// Runs that got stuck or were interrupted leave results too. The code says whether these are
/// whole.
ExitCode
ExitCodeOf(RunStatus status)
{
    switch (status)
    {
    case RunStatus::Done:
        return EXIT_DONE;
    case RunStatus::Stuck:
        return EXIT_STUCK;
    case RunStatus::Interrupted:
        break;
    }
    return EXIT_INTERRUPTED;
}

/// Results are in place before the text tells of them.
ExitCode
Run(const RunArguments& arguments, const ProgramStart& start)
{
    const std::string out =
        arguments.out.empty() ? DefaultDirectory(arguments.config.file) : arguments.out;
    // Before anything is read: that the directory holds something else than results should be known
    // now, and not after hours of simulation.
    OutputDirectory directory(out, MayReplace::EarlierResult);
    const RunInput input(arguments.config.file, SettingsOf(arguments));
    const ProgressMode mode = arguments.isQuiet ? ProgressMode::Off : ChooseProgressMode();
    const RunResults results = Simulate(input, directory, mode);
    const RunCost cost = WriteResults(directory, input, results, start);
    if (results.waits)
    {
        std::fputs(DescribeWaits(results).c_str(), stderr);
    }
    if (!arguments.isQuiet)
    {
        const std::string text = DescribeRun(input, results, cost.wallSeconds, Style::For(stdout)) +
                                 fmt::format("\n{}{}results: {}\n",
                                             DescribeSentences("note", input.Notes()),
                                             DescribeSentences("warning", results.warnings),
                                             out);
        std::fputs(text.c_str(), stdout); // results are kept, even if nobody is left to read this
    }
    const ExitCode code = ExitCodeOf(results.status);
    // A run that got stuck or was interrupted gets a report, too.
    const int reportCode = arguments.hasReport ? MakeReport(out, arguments.isQuiet) : EXIT_DONE;
    // How the run ended matters more than whether there is a report of it.
    return code == EXIT_DONE ? static_cast<ExitCode>(reportCode) : code;
}

} // namespace

Command
MakeRunCommand()
{
    const auto arguments = std::make_shared<RunArguments>();
    Command command{
        .name = "run",
        .help = "Simulate a configuration and keep the results",
        .examples = {
            "nadi run configs/quickstart.yaml            simulate; results in results/quickstart",
            "nadi run configs/quickstart.yaml --set system.inter-dimension=themis --out "
            "results/quickstart-themis",
            "nadi run c.yaml --set network.packet.payload=\"1 KB\"",
            "nadi run c.yaml --set network.backend=analytical --quiet"}};
    command.options = arguments->config.Options();
    command.options.push_back({.name = "--out",
                               .target = &arguments->out,
                               .help = "where results go; by default results/<name>",
                               .valueName = "DIR"});
    command.options.push_back(
        {.name = "--quiet", .target = &arguments->isQuiet, .help = "print nothing but errors"});
    command.options.push_back({.name = "--report",
                               .target = &arguments->hasReport,
                               .help = "write DIR/report.html too, with a time line"});
    command.run = [arguments](const ProgramStart& start)
    { return arguments->config.BlameForClockEnd([&] { return Run(*arguments, start); }); };
    return command;
}

} // namespace nadi
