// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/progress-display.h"

#include "cli/terminal/summary-text.h"
#include "common/text.h"
#include "common/unit-parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace nadi
{

namespace
{

using Seconds = std::chrono::duration<double>;

/// ", 2.1 M events/s"; nothing where there is less than one, which says nothing of how a run goes:
/// few events of a flow network move much.
std::string
DescribeEventRate(uint64_t events, Seconds elapsed)
{
    // The bound keeps the rate finite where no time has elapsed yet.
    const double rate = static_cast<double>(events) / std::max(elapsed.count(), 1e-3);
    if (rate < 1)
    {
        return "";
    }
    const std::string number = rate >= 1e6   ? fmt::format("{:.1f} M", rate / 1e6)
                               : rate >= 1e3 ? fmt::format("{:.0f} k", rate / 1e3)
                                             : fmt::format("{:.0f}", rate);
    return ", " + number + " events/s";
}

std::string
DurationText(double seconds)
{
    const auto whole = static_cast<int64_t>(seconds + 0.5);
    if (whole < 60)
    {
        return fmt::format("{} s", whole);
    }
    return whole < 3600 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                        : fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

/// Nodes that are done, and of the collectives under way the part that is done. A job may be a
/// single collective that runs for hours: of 100 nodes, 20 done and 40 in collectives that are 50 %
/// through make a share of 40 %.
double
ShareDone(const RunProgress& progress)
{
    // How many nodes a serving cluster runs is not known before all requests have come.
    if (progress.requestsTotal > 0)
    {
        return static_cast<double>(progress.requestsDone) /
               static_cast<double>(progress.requestsTotal);
    }
    const auto total = static_cast<double>(progress.nodesTotal);
    const double inCollectives =
        static_cast<double>(progress.nodesInCollectives) * progress.collectivesShare;
    const double done = static_cast<double>(progress.nodesDone) + inCollectives;
    // The numbers are read one after the other while the run goes on, so nodes that are done may
    // still count among those under way.
    return total == 0 ? 1 : std::min(done / total, 1.0);
}

/// ", 64 more in collectives that are 37 % through"; nothing where none is under way.
std::string
DescribeUnderWay(const RunProgress& progress)
{
    const uint64_t nodes = progress.nodesInCollectives;
    return nodes == 0 ? ""
                      : fmt::format(", {} more in collectives that are {:.0f} % through",
                                    nodes,
                                    100 * progress.collectivesShare);
}

/// As much as fits into a line of the terminal: a line that wraps cannot be rewritten, so that each
/// update would leave a row behind.
std::string_view
CutToTerminal(std::string_view text)
{
    winsize size{};
    const bool isKnown = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    // Some terminals wrap when their last column is written.
    return isKnown ? CutLetters(text, size.ws_col - 1U) : text;
}

void
Print(const std::string& text)
{
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

} // namespace

std::string
DescribeProgress(const RunProgress& progress, Seconds elapsed)
{
    const bool isServing = progress.requestsTotal > 0;
    const uint64_t done = isServing ? progress.requestsDone : progress.nodesDone;
    const uint64_t total = isServing ? progress.requestsTotal : progress.nodesTotal;
    const double share = ShareDone(progress);
    // The rest is taken to go at the pace of what is done.
    const std::string left =
        share > 0 && done < total
            ? ", about " + DurationText(elapsed.count() * (1 / share - 1)) + " left"
            : "";
    // What people look for comes first, as a narrow terminal cuts the end.
    return fmt::format("{:.0f} %{}: {} simulated, {} of {}{}{}",
                       share * 100,
                       left,
                       ToRoundedText(SimTime::FromPs(progress.timePs)),
                       done,
                       CountText(total, isServing ? "request" : "node"),
                       isServing ? "" : DescribeUnderWay(progress),
                       DescribeEventRate(progress.events, elapsed));
}

std::string
DescribeStage(const std::string& stage, const WorkProgress& ranks, Seconds elapsed)
{
    const uint32_t total = ranks.total;
    // The two are read one after the other, and the next stage may begin between.
    const uint32_t done = std::min(ranks.done.load(), total);
    const std::string share = total == 0 ? ""
                                         : fmt::format(", {} of {} done ({} %)",
                                                       done,
                                                       CountText(total, "rank"),
                                                       uint64_t{done} * 100 / total);
    return fmt::format("checking for {:.0f} s: {}{}", elapsed.count(), stage, share);
}

ProgressMode
ChooseProgressMode()
{
    return isatty(STDERR_FILENO) != 0 ? ProgressMode::Terminal : ProgressMode::Lines;
}

ProgressDisplay::ProgressDisplay(ProgressText text, ProgressMode mode)
    : m_text(std::move(text))
    , m_mode(mode)
{
    if (mode != ProgressMode::Off)
    {
        const SignalShield shield; // interruptions are for the thread that runs the loop
        m_thread = std::thread(&ProgressDisplay::Show, this);
    }
}

ProgressDisplay::~ProgressDisplay()
{
    if (!m_thread.joinable())
    {
        return;
    }
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
    }
    // Without the lock, so that the thread that wakes up need not wait for it.
    m_ended.notify_one();
    m_thread.join();
}

void
ProgressDisplay::Show()
{
    const bool isTerminal = m_mode == ProgressMode::Terminal;
    // A terminal overwrites its one line. A log keeps every line, so it gets few.
    const Seconds interval(isTerminal ? 0.2 : 10);
    const auto start = std::chrono::steady_clock::now();
    bool hasLine = false;
    std::unique_lock lock(m_mutex);
    // The first line comes after an interval, so work that is over by then shows nothing. The
    // destructor ends the wait at once.
    while (!m_ended.wait_for(lock, interval, [&] { return m_isEnding; }))
    {
        const std::string text = m_text(std::chrono::steady_clock::now() - start);
        // The line is cleared, so that a shorter text leaves no rest of a longer one.
        Print(isTerminal ? fmt::format("\r\x1b[K{}", CutToTerminal(text)) : text + "\n");
        hasLine = isTerminal;
    }
    if (hasLine)
    {
        // The line is cleared, so that what is printed next begins on an empty line.
        Print("\r\x1b[K");
    }
}

} // namespace nadi
