# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of pages share: a browser without a network, and the parts of an open page."""

import json
import re
import shutil
import sys
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SECONDS_AT_MOST = 120  # ends only what hangs
WINDOW = (1400, 1000)


def start_browser():
    """Debian's chromium, headless, with a profile of its own that `stop_browser` removes."""
    options = webdriver.ChromeOptions()
    profile = tempfile.mkdtemp(prefix="nadi-browser-")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--disable-background-networking", f"--user-data-dir={profile}",
                 "--window-size={},{}".format(*WINDOW)):
        options.add_argument(word)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.profile = profile
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    return driver


def stop_browser(driver):
    driver.quit()
    shutil.rmtree(driver.profile, ignore_errors=True)


class Page:
    """A page that is open in the browser."""

    def __init__(self, driver, file):
        self.driver = driver
        self.file = file
        driver.get_log("browser")
        driver.get_log("performance")
        driver.get(file.as_uri())

    def messages(self):
        """What the console shows."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """What was asked for, but for the page itself and for what it contains."""
        events = [json.loads(one["message"])["message"]
                  for one in self.driver.get_log("performance")]
        addresses = [event["params"]["request"]["url"] for event in events
                     if event["method"] == "Network.requestWillBeSent"]
        return [one for one in addresses if one.split("#")[0] != self.file.as_uri()
                and not one.startswith(("data:", "blob:"))]

    def elements(self):
        """How much the browser has made of the page so far."""
        return self.run("return document.getElementsByTagName('*').length")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def part(self, name):
        """A part, once it is drawn. Parts above that are drawn meanwhile push it out of sight, so it
        is scrolled to until then."""
        selector = f'.part[data-name="{name}"]'
        self.wait_for(lambda: self.run(
            "const part = document.querySelector(arguments[0]);"
            "if (!part.classList.contains('drawn')) part.scrollIntoView();"
            "return part.classList.contains('drawn')", selector))
        return selector

    def wait_for(self, holds):
        end = time.monotonic() + SECONDS_AT_MOST
        while not (found := holds()):
            if time.monotonic() > end:
                raise AssertionError("it never came to hold")
            time.sleep(0.02)
        return found

    def heads(self, name):
        return self.run("return [...document.querySelectorAll(arguments[0])].map("
                        "e => e.textContent)", self.part(name) + " th button")

    def rows(self, name):
        """The texts of the cells of the rows that a table shows."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map(row =>"
                        " [...row.cells].map(cell => cell.textContent))",
                        self.part(name) + " tbody tr")

    def exact(self, name, head):
        """The values of a column as the data has them, of the rows that a table shows."""
        column = [re.sub(r" \(.*", "", one) for one in self.heads(name)].index(head)
        return self.run("return [...document.querySelectorAll(arguments[0])].map(row =>"
                        " row.cells[arguments[1]].title)", self.part(name) + " tbody tr", column)

    def click(self, selector):
        """As a person who presses Enter on it."""
        self.run("document.querySelector(arguments[0]).click()", selector)

    def sort(self, name, head):
        column = [re.sub(r" \(.*", "", one) for one in self.heads(name)].index(head)
        self.all(self.part(name) + " th button")[column].send_keys("\n")

    def filter(self, name, head, text):
        field = self.find(self.part(name) + f' input[aria-label="filter {head}"]')
        field.send_keys(Keys.CONTROL, "a")  # the key is held to the end of a call
        field.send_keys(Keys.BACKSPACE)
        field.send_keys(text)

    def traces(self, name):
        """What a chart drew."""
        selector = self.part(name) + " .plot"
        self.wait_for(lambda: self.run("return !!document.querySelector(arguments[0])._fullLayout",
                                       selector))
        return self.run("return document.querySelector(arguments[0]).data.map("
                        "t => ({name: t.name, x: [...t.x], y: [...t.y]}))", selector)


def take_pictures(file, stem):
    """For a person to look at: whole sections, as they are seen."""
    driver = start_browser()
    try:
        page = Page(driver, file)
        for part in page.all(".part"):
            page.part(part.get_attribute("data-name"))
        print("\n".join(page.messages()), page.requests(), page.elements())
        height = page.run("return document.documentElement.scrollHeight")
        driver.set_window_size(WINDOW[0], min(height + 100, 16000))
        time.sleep(1.5)
        driver.save_screenshot(f"{stem}.png")
    finally:
        stop_browser(driver)


if __name__ == "__main__":
    import pathlib

    take_pictures(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2])
