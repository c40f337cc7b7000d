/** Words that say nothing about what a text is about. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  'a after an and any are as at be been before between both but by can could do does during each for from had has have how i if in into is it its many may more most much must no not of on one only or other our out over same should so some such than that the their them then there these they this those through to too towards under until up upon very was we were what when where which while who whom why will with within would you your'.split(
    ' ',
  ),
);
