/** The positions that Analyse offers, each as a line. */

/** The first position that the page shows, and a cell of it whose proof has four steps. */
export const EXAMPLE =
  "b1_16x30_m99_1H10011101HH2110e1Hk122101H1012H2H100113Hh1HH12H101f21322001H4HH1HH4Hf2110e2H3H2H2fHl221000114Hm1HHH5He1H10002H4Hv1110002H32Hu0001hHH3Hr1eH10001Hj2Hk2H11233212Hh3HHH3Hf2HHH2112HHH21Hu1101H5Hy00012Hi2Hf2Hk001134Hl22Hl012H3Hv3HHH01H23Hp2He3He";
export const EXPLAINED = /** @type {[number, number]} */ ([4, 17]);

/** Positions to try: a name, the line, and a cell to explain. @type {{words: string, line: string, cell?: [number, number]}[]} */
export const SAMPLES = [
  { words: "an expert game", line: EXAMPLE, cell: EXPLAINED },
  {
    words: "a stuck expert game",
    line: "b1_16x30_m99_Hn101223H20012H2100Hm2101HH3H2123H3H321Hm2111222111HH322HH1Hm2H10g13H312221Hm2110h112H1000Hm210i11334210Hn2001110002H4HHH10Hi2H3HH2001H11223H4H4210Hi32e1001122HH21322111Hj2000122101H43102H32H1Hj20001HH2113H2002HH311Hi32110134H212H20013H200Hg5311H2111H3H232211222100He33H10123H11122H4H44H3H2100Hf211002H4201122Hf32H100Hf10e2HH101H113HHH31e00",
  },
  {
    words: "a 50/50",
    line: "b1_9x9_m10_0001110e123H101112HH2101HH22211121110001H210f112H0f11210f2H310f2HHH",
    cell: [8, 8],
  },
  { words: "a contradiction", line: "b1_3x5_m5_Hf1131Hg" },
  { words: "only the mine count decides", line: "b1_1x5_m1_H1H1H", cell: [0, 2] },
];
