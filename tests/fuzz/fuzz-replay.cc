// SPDX-License-Identifier: GPL-2.0-only
// Usage: fuzz-replay FOLDER EXECUTIONS [NAME...]
// Gives all targets, or those that are named, each input of FOLDER/corpus/<name>, then EXECUTIONS
// inputs that are made of these. Ends with exit 1 at the first finding and writes that input to
// finding-<name>.
#include "common/hash.h"
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-mutator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sanitizer/common_interface_defs.h>
#include <string>
#include <unistd.h>
#include <vector>

/// 2 GB are a finding. Leaks are not looked for, since the ns-3 libraries are not instrumented.
extern "C" const char*
__asan_default_options()
{
    return "detect_leaks=0:hard_rss_limit_mb=2048:max_allocation_size_mb=2048";
}

namespace nadi::fuzz
{

namespace
{

namespace fs = std::filesystem;

constexpr unsigned MOST_SECONDS = 10; // of one input
constexpr uint64_t SEED = 1;

/// What is being read, for the report of whatever ends the process.
struct CurrentInput
{
    std::string target;
    std::string bytes;
};

CurrentInput g_current;

void
WriteFinding()
{
    const std::string file = "finding-" + g_current.target;
    std::ofstream(file, std::ios::binary) << g_current.bytes;
    std::fprintf(stderr, "fuzz %s: the input is in %s\n", g_current.target.c_str(), file.c_str());
}

void
OnSignal(int number)
{
    std::fprintf(stderr, number == SIGALRM ? "takes more than 10 s\n" : "aborts\n");
    WriteFinding();
    _exit(1);
}

std::string
ReadWhole(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// In the order of their names.
std::vector<std::string>
ReadCorpus(const fs::path& folder)
{
    std::vector<fs::path> files{fs::directory_iterator(folder), fs::directory_iterator()};
    std::sort(files.begin(), files.end());
    std::vector<std::string> inputs;
    std::transform(files.begin(), files.end(), std::back_inserter(inputs), ReadWhole);
    return inputs;
}

void
Feed(FuzzTarget& target, const std::string& input)
{
    g_current.bytes = input;
    alarm(MOST_SECONDS);
    Succeeds([&] { target.Read(input); });
    alarm(0);
}

void
RunTarget(const fs::path& folder, const std::string& name, uint64_t executions)
{
    const auto begun = std::chrono::steady_clock::now();
    g_current.target = name;
    const auto target = Registry<FuzzTarget>::Instance().Make(ComponentChoice(name));
    const std::vector<std::string> corpus = ReadCorpus(folder / "corpus" / name);
    const fs::path dictionary = folder / "dictionaries" / (name + ".dict");
    InputMutator mutator(
        corpus, ParseDictionary(ReadWhole(dictionary), dictionary), Hash64({SEED, name.size()}));
    for (const std::string& input : corpus)
    {
        Feed(*target, input);
    }
    for (uint64_t execution = 0; execution < executions; ++execution)
    {
        Feed(*target, mutator.Next());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    fmt::print("fuzz {}: {} inputs of the corpus, {} made of them, no finding, {:.1f} s\n",
               name,
               corpus.size(),
               executions,
               took.count());
}

int
Run(const std::vector<std::string>& arguments)
{
    if (arguments.size() < 2)
    {
        std::fputs("usage: fuzz-replay FOLDER EXECUTIONS [NAME...]\n", stderr);
        return 2;
    }
    std::vector<std::string> names(arguments.begin() + 2, arguments.end());
    if (names.empty())
    {
        names = Registry<FuzzTarget>::Instance().Names();
    }
    for (const std::string& name : names)
    {
        RunTarget(arguments[0], name, std::stoull(arguments[1]));
    }
    return 0;
}

} // namespace

} // namespace nadi::fuzz

int
main(int count, char** values)
{
    __sanitizer_set_death_callback(nadi::fuzz::WriteFinding);
    std::signal(SIGALRM, nadi::fuzz::OnSignal);
    std::signal(SIGABRT, nadi::fuzz::OnSignal);
    try
    {
        return nadi::fuzz::Run({values + 1, values + count});
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "leaves as an exception: %s\n", error.what());
        nadi::fuzz::WriteFinding();
        return 1;
    }
}
