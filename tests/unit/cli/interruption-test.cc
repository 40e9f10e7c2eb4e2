// SPDX-License-Identifier: GPL-2.0-only
#include "cli/interruption.h"
#include "tests/support/manual-event-loop.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// How a child ended that did `work`: its exit code, or minus the signal that ended it.
int
EndOfChild(const std::function<int()>& work)
{
    const pid_t child = fork();
    if (child == 0)
    {
        for (const int number : {SIGINT, SIGTERM, SIGHUP})
        {
            signal(number, SIG_DFL); // the test program's are its own
        }
        _exit(work());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void
PassGrace()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
}

} // namespace

TEST_CASE("InterruptionScope: signals that come together are one interruption", "[unit][cli]")
{
    for (const int first : {SIGINT, SIGTERM, SIGHUP})
    {
        for (const int second : {SIGINT, SIGTERM, SIGHUP})
        {
            CAPTURE(first, second);
            CHECK(EndOfChild(
                      [&]
                      {
                          ManualEventLoop loop;
                          const InterruptionScope scope(loop);
                          raise(first);
                          raise(second);
                          return scope.IsInterrupted() ? 17 : 18;
                      }) == 17);
        }
    }
}

TEST_CASE("InterruptionScope: the grace covers what comes after the loop", "[unit][cli]")
{
    CHECK(EndOfChild(
              []
              {
                  ManualEventLoop loop;
                  {
                      const InterruptionScope scope(loop);
                      raise(SIGINT);
                  }
                  raise(SIGINT);
                  return 17;
              }) == 17);
}

TEST_CASE("InterruptionScope: a signal after more than a second ends the process", "[unit][cli]")
{
    for (const bool isAfterLoop : {false, true})
    {
        CHECK(EndOfChild(
                  [&]
                  {
                      ManualEventLoop loop;
                      auto scope = std::make_unique<InterruptionScope>(loop);
                      raise(SIGINT);
                      if (isAfterLoop)
                      {
                          scope.reset();
                      }
                      PassGrace();
                      raise(SIGTERM);
                      return 18;
                  }) == -SIGTERM);
    }
}

TEST_CASE("InterruptionScope: nothing is caught once a loop has ended by itself", "[unit][cli]")
{
    CHECK(EndOfChild(
              []
              {
                  ManualEventLoop loop;
                  {
                      const InterruptionScope scope(loop);
                  }
                  raise(SIGTERM);
                  return 18;
              }) == -SIGTERM);
}

TEST_CASE("InterruptionScope: a signal that is ignored stays ignored", "[unit][cli]")
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
    {
        CAPTURE(number);
        CHECK(EndOfChild(
                  [&]
                  {
                      signal(number, SIG_IGN); // as nohup and `&` of a script do
                      ManualEventLoop loop;
                      auto scope = std::make_unique<InterruptionScope>(loop);
                      raise(number);
                      const bool isInterrupted = scope->IsInterrupted();
                      scope.reset();
                      raise(number);
                      return isInterrupted ? 18 : 17;
                  }) == 17);
    }
}

TEST_CASE("SignalShield: signals that were blocked before stay so", "[unit][cli]")
{
    CHECK(EndOfChild(
              []
              {
                  sigset_t hangup;
                  sigemptyset(&hangup);
                  sigaddset(&hangup, SIGHUP);
                  pthread_sigmask(SIG_BLOCK, &hangup, nullptr);
                  {
                      const SignalShield shield;
                  }
                  sigset_t blocked;
                  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
                  const bool isRight =
                      sigismember(&blocked, SIGHUP) == 1 && sigismember(&blocked, SIGINT) == 0;
                  return isRight ? 17 : 18;
              }) == 17);
}

TEST_CASE("InterruptionScope: one signal that is ignored leaves the others to stop the run",
          "[unit][cli]")
{
    CHECK(EndOfChild(
              []
              {
                  signal(SIGINT, SIG_IGN);
                  ManualEventLoop loop;
                  const InterruptionScope scope(loop);
                  raise(SIGTERM);
                  return scope.IsInterrupted() ? 17 : 18;
              }) == 17);
}

TEST_CASE("InterruptionScope: a loop that ends by itself gives the signals back their actions",
          "[unit][cli]")
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
    {
        CAPTURE(number);
        CHECK(EndOfChild(
                  [&]
                  {
                      signal(number, [](int) { _exit(17); });
                      ManualEventLoop loop;
                      {
                          const InterruptionScope scope(loop);
                      }
                      raise(number);
                      return 18;
                  }) == 17);
    }
}
