// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/interruption.h"
#include "common/work-progress.h"
#include "simulation/run-progress.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace nadi
{

/// Where progress goes.
enum class ProgressMode
{
    Off,
    Lines,    ///< a line every 10 s, for logs
    Terminal, ///< one line that is rewritten five times a second
};

/// Terminal where stderr is one, else Lines.
ProgressMode ChooseProgressMode();

/// What there is to show after so long a time. Called from the display's thread.
using ProgressText = std::function<std::string(std::chrono::duration<double> elapsed)>;

/// "45 %, about 3 s left: 1.24 ms simulated, 812 of 1856 nodes, 64 more in collectives that are 37
/// % through, 2.1 M events/s".
std::string DescribeProgress(const RunProgress& progress, std::chrono::duration<double> elapsed);

/// "checking for 12 s: planning the collectives, 512 of 4096 ranks done (12 %)"; without
/// ranks where their number is not known, as the stage does not go from rank to rank.
std::string DescribeStage(const std::string& stage,
                          const WorkProgress& ranks,
                          std::chrono::duration<double> elapsed);

/// Shows progress on stderr, from a thread of its own, while it lives: nothing for work that is
/// over at once.
///
/// The work never waits for it. Requires: what `text` reads outlives it.
class ProgressDisplay
{
  public:
    ProgressDisplay(ProgressText text, ProgressMode mode);
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  private:
    void Show();

    const ProgressText m_text;
    const ProgressMode m_mode;
    std::mutex m_mutex;
    std::condition_variable m_ended;
    bool m_isEnding = false; // guarded by m_mutex
    std::thread m_thread;
};

} // namespace nadi
